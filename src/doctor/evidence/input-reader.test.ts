import fc from "fast-check";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";

import { nodePlatform } from "../../base/index.ts";
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

test("mutated metadata heads never throw", async () => {
  const head = new Uint8Array(64);
  head.set([0x49, 0x60, 0x67, 0x2d, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 9]);
  await fc.assert(
    fc.asyncProperty(fc.nat(63), fc.nat(255), fc.nat(64), async (at, value, length) => {
      const mutated = head.slice(0, length);
      if (at < mutated.length) mutated[at] = value;
      await readEvidence([bytes("_metadata", mutated)], nodePlatform());
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
