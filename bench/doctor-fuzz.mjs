// Mutates stored `_metadata` and reads each mutation as the doctor does: npm run build, then
// node bench/doctor-fuzz.mjs [mutations] [seed]. Exits with 1 if one of them crashed, or memory grew beyond the bound.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** No mutation of a file of up to 100 kB may take so much; a length field that is believed would. */
const MAX_BYTES = 300e6;

const here = dirname(fileURLToPath(import.meta.url));
const dist = process.env.DIST ?? join(here, "../dist");
const { diagnose } = await import(pathToFileURL(join(dist, "doctor/index.js")).href);
const { nodePlatform } = await import(pathToFileURL(join(dist, "base/index.js")).href);

const count = Number(process.argv[2] ?? 10_000);
let seed = Number(process.argv[3] ?? 1);
const folder = join(here, "../test/golden/flink-metadata");
const samples = readdirSync(folder)
  .map((name) => join(folder, name, "_metadata"))
  .filter((path) => existsSync(path))
  .map((path) => readFileSync(path))
  .filter((sample) => sample.length < 100_000);

/** Mulberry32: the same seed gives the same mutations. */
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

const below = (limit) => Math.floor(random() * limit);

/** Single bytes, lengths of four bytes, cuts, and parts that come twice. */
function mutated() {
  let bytes = Buffer.from(samples[below(samples.length)]);
  for (let change = below(5); change >= 0; change--) {
    const at = below(bytes.length);
    const kind = below(4);
    if (kind === 0) bytes[at] = below(256);
    else if (kind === 1 && at + 4 <= bytes.length)
      bytes.writeInt32BE([0x7fffffff, -1, 0x10000000, 0][below(4)], at);
    else if (kind === 2) bytes = bytes.subarray(0, Math.max(1, at));
    else
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(below(bytes.length))]).subarray(
        0,
        200_000,
      );
  }
  return bytes;
}

let crashes = 0;
let damaged = 0;
const before = process.cpuUsage();
for (let index = 0; index < count; index++) {
  const bytes = mutated();
  try {
    const { facts } = await diagnose([{ kind: "bytes", name: "_metadata", bytes }], nodePlatform());
    if (facts.evidence.metadata.some((fact) => fact.problem !== undefined)) damaged++;
  } catch (error) {
    crashes++;
    console.error(`mutation ${index}: ${error?.stack ?? error}`);
  }
}
const used = process.cpuUsage(before);
const peakBytes = process.resourceUsage().maxRSS * 1024;
console.log(
  `${count} mutations of ${samples.length} files: ${crashes} crashes, ${damaged} named as damaged, ${((used.user + used.system) / 1e6).toFixed(1)} s of CPU, ${Math.round(peakBytes / 1e6)} MB of memory`,
);
process.exit(crashes > 0 || peakBytes > MAX_BYTES ? 1 : 0);
