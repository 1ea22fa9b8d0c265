import fc from "fast-check";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";

import { nodePlatform, type OpenMode, type Platform } from "../../base/index.ts";
import { diagnoseEvidence } from "../diagnosis.ts";
import { RULES } from "../rules/index.ts";
import { type DoctorInput, readEvidence } from "./input-reader.ts";

const LOG =
  "2024-06-15 02:17:23,882 INFO  org.apache.flink.runtime.taskmanager.Task [] - Completed checkpoint 7 for job ab (1 bytes, checkpointDuration=2 ms, finalizationTime=3 ms).\n";

const bytes = (name: string, content: Uint8Array | string): DoctorInput => ({
  kind: "bytes",
  name,
  bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
});

async function messages(...inputs: readonly DoctorInput[]): Promise<readonly string[]> {
  return (await readEvidence(inputs, nodePlatform())).events.map((event) => event.message);
}

test("gzip is unpacked, and what is whole of a truncated one is read", async () => {
  const packed = gzipSync(LOG.repeat(2000));
  expect((await messages(bytes("a.log.gz", packed))).length).toBeGreaterThan(0);
  expect(
    (await messages(bytes("a.log.gz", packed.subarray(0, packed.length - 20)))).length,
  ).toBeGreaterThan(0);
});

test("a gzip file that is cut off is named; one that is whole or joined of several is not", async () => {
  const problems = async (content: Uint8Array): Promise<readonly (string | undefined)[]> => {
    const { sources } = await readEvidence([bytes("a.log.gz", content)], nodePlatform());
    return sources.flatMap(({ problem }) => problem ?? []);
  };
  const packed = gzipSync(LOG.repeat(2000));
  expect(await problems(packed)).toEqual([]);
  expect(await problems(Buffer.concat([packed, gzipSync(LOG)]))).toEqual([]);
  for (const length of [packed.length - 1, packed.length - 20, 60])
    expect(await problems(packed.subarray(0, length))).toEqual([
      "is cut off; what is whole of it was read",
    ]);
});

test("a file that may not be read is named, and the others are read", async () => {
  const directory = mkdtempSync(join(tmpdir(), "doctor-"));
  writeFileSync(join(directory, "a-secret.log"), LOG);
  writeFileSync(join(directory, "b.log"), LOG);
  const platform = nodePlatform();
  const files = new Proxy(platform.files, {
    get(target, name) {
      if (name === "open")
        return (path: string, mode: OpenMode) =>
          path.endsWith("a-secret.log")
            ? Promise.reject(new Error(`EACCES: permission denied, open '${path}'`))
            : target.open(path, mode);
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const guarded: Platform = {
    nowMs: () => platform.nowMs(),
    monotonicMs: () => platform.monotonicMs(),
    random: () => platform.random(),
    after: (delayMs, callback) => platform.after(delayMs, callback),
    soon: (callback) => platform.soon(callback),
    files,
  };
  const { events, sources } = await readEvidence([{ kind: "path", path: directory }], guarded);
  expect(events).toHaveLength(1);
  expect(sources.map(({ problem }) => problem?.includes("EACCES"))).toEqual([true, undefined]);
});

test("members of tar and zip archives are read", async () => {
  expect(await messages(bytes("a.tar.gz", gzipSync(tarOf("jm.log", LOG))))).toHaveLength(1);
  expect(await messages(bytes("a.zip", zipOf("jm.log", LOG)))).toHaveLength(1);
});

test("one bad input never hides the others", async () => {
  const evidence = await readEvidence(
    [
      bytes("empty", ""),
      bytes(
        "junk.bin",
        new Uint8Array(5000).map((_, index) => (index * 7919) % 256),
      ),
      bytes("broken.zip", new Uint8Array([0x50, 0x4b, 3, 4, 1, 2, 3])),
      { kind: "path", path: "/no/such/file" },
      bytes("page.html", "<!DOCTYPE html><html><body>Login</body></html>"),
      bytes("good.log", LOG),
    ],
    nodePlatform(),
  );
  expect(evidence.events.some((event) => event.message.startsWith("Completed checkpoint 7"))).toBe(
    true,
  );
  expect(
    evidence.sources.filter((source) => source.problem !== undefined).map((source) => source.path),
  ).toEqual(["empty", "junk.bin", "broken.zip", "/no/such/file", "page.html"]);
});

test("a loop of directories ends", async () => {
  const directory = mkdtempSync(join(tmpdir(), "doctor-"));
  writeFileSync(join(directory, "jm.log"), LOG);
  symlinkSync(directory, join(directory, "again"));
  const evidence = await readEvidence([{ kind: "path", path: directory }], nodePlatform());
  expect(evidence.events).toHaveLength(1);
});

test("one line without end is read in bounded pieces", async () => {
  async function* endless(): AsyncIterable<Uint8Array> {
    const chunk = new TextEncoder().encode("x".repeat(1024 * 1024));
    for (let index = 0; index < 64; index++) yield chunk;
  }
  const evidence = await readEvidence(
    [{ kind: "stream", name: "stdin", chunks: endless() }],
    nodePlatform(),
  );
  expect(evidence.sources[0]?.sizeBytes).toBe(64 * 1024 * 1024);
  expect(JSON.stringify(evidence).length).toBeLessThan(8 * 1024 * 1024);
});

test("whatever bytes come, an answer comes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.nat(3), async (junk, cut) => {
      const mixed = Buffer.concat([
        Buffer.from(LOG.slice(0, cut * 40)),
        Buffer.from(junk),
        Buffer.from(LOG),
      ]);
      const evidence = await readEvidence([bytes("input", mixed)], nodePlatform());
      expect(["cause", "healthy", "undetermined"]).toContain(
        diagnoseEvidence(evidence, RULES).verdict,
      );
    }),
    { numRuns: 60 },
  );
});

test("mutated metadata never throws, and is a fact with a problem or without", async () => {
  const folder = "test/golden/flink-metadata";
  const samples = readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "_metadata")))
    .map((name) => new Uint8Array(readFileSync(join(folder, name, "_metadata"))))
    .filter((sample) => sample.length < 100_000);
  const mutation = fc.record({
    sample: fc.constantFrom(...samples),
    changes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }),
    keep: fc.double({ min: 0, max: 1.2, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(mutation, async ({ sample, changes, keep }) => {
      const mutated = sample.slice(0, Math.ceil(sample.length * keep));
      for (const [at, value] of changes) mutated[at % Math.max(1, mutated.length)] = value;
      const evidence = await readEvidence([bytes("_metadata", mutated)], nodePlatform());
      expect(evidence.sources).toHaveLength(1);
      expect(["cause", "healthy", "undetermined"]).toContain(
        diagnoseEvidence(evidence, RULES).verdict,
      );
    }),
    { numRuns: 300 },
  );
});

function tarOf(name: string, text: string): Uint8Array {
  const content = new TextEncoder().encode(text);
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("0", 156);
  header.write("ustar\0", 257);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.set(content);
  return Buffer.concat([header, body, Buffer.alloc(1024)]);
}

function zipOf(name: string, text: string): Uint8Array {
  const content = deflateRawSync(Buffer.from(text));
  const local = Buffer.alloc(30 + name.length);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(content.length, 18);
  local.writeUInt16LE(name.length, 26);
  local.write(name, 30);
  const central = Buffer.alloc(46 + name.length);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(content.length, 20);
  central.writeUInt16LE(name.length, 28);
  central.write(name, 46);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(local.length + content.length, 16);
  return Buffer.concat([local, content, central, end]);
}
