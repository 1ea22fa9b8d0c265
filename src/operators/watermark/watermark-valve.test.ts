import fc from "fast-check";
import { expect, test } from "vitest";
import { WatermarkValve } from "./watermark-valve.ts";

type Event =
  | { readonly kind: "watermark"; readonly channel: number; readonly time: number }
  | { readonly kind: "status"; readonly channel: number; readonly isIdle: boolean };

const CHANNELS = 3;

const events: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("watermark" as const),
        channel: fc.integer({ min: 0, max: CHANNELS - 1 }),
        time: fc.integer({ min: 0, max: 30 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("status" as const),
        channel: fc.integer({ min: 0, max: CHANNELS - 1 }),
        isIdle: fc.boolean(),
      }),
    },
  ),
  { maxLength: 60 },
);

/** Says again what the valve's rules are, without its bookkeeping: the history is gone through anew for each question. */
class ValveOracle {
  readonly watermarks: number[] = Array.from({ length: CHANNELS }, () => Number.NEGATIVE_INFINITY);
  readonly idle: boolean[] = Array.from({ length: CHANNELS }, () => false);
  /** Channels that came back behind the output and have not caught up. */
  readonly behind: Set<number> = new Set();
  output: number = Number.NEGATIVE_INFINITY;
  isIdle = false;

  take(event: Event): readonly string[] {
    const { channel } = event;
    if (event.kind === "watermark") {
      const isIgnored =
        this.isIdle || this.idle[channel] === true || event.time <= (this.watermarks[channel] ?? 0);
      if (isIgnored) return [];
      this.watermarks[channel] = event.time;
      if (event.time >= this.output) this.behind.delete(channel);
      return this.raise(this.minimum());
    }
    if (this.idle[channel] === event.isIdle) return [];
    this.idle[channel] = event.isIdle;
    const own = this.watermarks[channel] ?? 0;
    if (!event.isIdle) {
      if (own < this.output) this.behind.add(channel);
      const wasIdle = this.isIdle;
      this.isIdle = false;
      return wasIdle ? ["ACTIVE"] : [];
    }
    this.behind.delete(channel);
    const isHeldBack = own === this.output;
    if (this.idle.every((isIdle) => isIdle)) {
      const flushed = isHeldBack ? this.raise(Math.max(...this.watermarks)) : [];
      this.isIdle = true;
      return [...flushed, "IDLE"];
    }
    return isHeldBack ? this.raise(this.minimum()) : [];
  }

  private minimum(): number | undefined {
    const taking = this.watermarks.filter(
      (_, channel) => this.idle[channel] !== true && !this.behind.has(channel),
    );
    return taking.length === 0 ? undefined : Math.min(...taking);
  }

  private raise(watermark: number | undefined): readonly string[] {
    if (watermark === undefined || watermark <= this.output) return [];
    this.output = watermark;
    return [String(watermark)];
  }
}

test("the valve agrees with a plain oracle, and its watermarks ascend", () => {
  fc.assert(
    fc.property(events, (script) => {
      const sent: string[] = [];
      const valve = new WatermarkValve(CHANNELS, {
        processWatermark: (watermark) => sent.push(String(watermark)),
        processWatermarkStatus: (status) => sent.push(status),
      });
      const oracle = new ValveOracle();
      for (const event of script) {
        const before = sent.length;
        if (event.kind === "watermark") valve.onWatermark(event.channel, event.time);
        else valve.onStatus(event.channel, event.isIdle ? "IDLE" : "ACTIVE");
        expect(sent.slice(before)).toEqual(oracle.take(event));
      }
      const watermarks = sent.filter((text) => /\d/.test(text)).map(Number);
      expect(watermarks).toEqual([...new Set(watermarks)].toSorted((a, b) => a - b));
      expect(valve.watermark).toBe(watermarks.at(-1) ?? Number.NEGATIVE_INFINITY);
    }),
    { numRuns: 500 },
  );
});
