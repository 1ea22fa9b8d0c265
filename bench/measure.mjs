// Clocks and figures: rates are per second of CPU time of this thread, since the machine may be busy with other work.
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";

let usesSchedulerClock = true;
try {
  readFileSync("/proc/thread-self/schedstat");
} catch {
  usesSchedulerClock = false;
}

/** CPU time of this thread in ms; where the system does not tell it, that of the process. */
export function cpuMs() {
  if (usesSchedulerClock)
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ", 1)[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/** The name of the clock, for the head of a report. */
export const clockName = usesSchedulerClock ? "CPU time of the thread" : "CPU time of the process";

/** Collects garbage if node was started with --expose-gc. */
export function collectGarbage() {
  globalThis.gc?.();
}

/** Bytes in use after a collection: heap and buffers. */
export function usedBytes() {
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median and range of repeated figures. */
export function spread(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** `71 [66..75]`, with a factor and digits behind the point. */
export function shown({ median: middle, min, max }, factor = 1, digits = 0) {
  const text = (value) => (value * factor).toFixed(digits);
  return `${text(middle)} [${text(min)}..${text(max)}]`;
}

/** The load of the machine over the last minute. */
export function load() {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

/** CPU milliseconds of one call, which may be asynchronous. No garbage is collected before: that would throw away optimised code. */
export async function cpuOf(run) {
  const start = cpuMs();
  const result = await run();
  return { cpuMs: cpuMs() - start, result };
}

/** Throws unless the two are equal: a benchmark that counts wrong measures nothing. */
export function check(what, actual, expected) {
  if (actual !== expected) throw new Error(`${what}: ${actual}, expected ${expected}`);
}
