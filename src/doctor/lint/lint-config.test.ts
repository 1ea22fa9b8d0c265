import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseRelease } from "../analysis/flink-version.ts";
import { applyFixes, type LintFinding, lintConfig, readConfigDocument } from "./index.ts";

async function lint(
  release: string,
  text: string,
  name = "config.yaml",
): Promise<readonly LintFinding[]> {
  return lintConfig(readConfigDocument(name, text), parseRelease(release) ?? 0);
}

async function mended(release: string, text: string, name = "config.yaml"): Promise<string> {
  const document = readConfigDocument(name, text);
  return applyFixes(document, lintConfig(document, parseRelease(release) ?? 0));
}

const C = "execution.checkpointing";
const WELL = `${C}.interval: 1 min
${C}.dir: s3://bucket/checkpoints
${C}.savepoint-dir: s3://bucket/savepoints
${C}.tolerable-failed-checkpoints: 3
${C}.incremental: true
state.backend.type: rocksdb
`;

/** Release, what is added to a file that is well, and the one finding with its place: `code line:column`. */
const CASES: readonly (readonly [release: string, added: string, expected: string])[] = [
  ["1.20", "state.backend.type: rocksdb\n", "unreadable 7:1"],
  ["1.20", "heartbeat.timeout:\n", "line-dropped 7:1"],
  ["1.20", "heartbeat:\n  timeout: 1 min\n  timeout : 1 min\n", "unreadable 9:3"],
  ["1.20", "heartbeat.timeout: 1 min\nheartbeat:\n  timeout: 2 min\n", "duplicate-key 7:1"],
  ["1.20", `${C}.intervall: 1 min\n`, "unknown-key 7:1"],
  ["1.20", `${C}.max-aligned-checkpoint-size: 1\n`, "never-a-key 7:1"],
  ["2.0", "pipeline.sources.pause-until-first-checkpoint: true\n", "key-not-yet 7:1"],
  ["1.20", "akka.framesize: 20971520b\n", "key-renamed 7:1"],
  ["2.3", `${C}.force: true\n`, "key-removed 7:1"],
  ["1.20", "state.savepoints.dir: s3://bucket/other\n", "key-renamed 7:1, key-overridden 7:1"],
  ["1.20", `${C}.timeout: 10 mins\n`, "wrong-value 7:34"],
  ["1.20", `${C}.unaligned.enabled: yes\n`, "wrong-value 7:44"],
  ["1.20", "taskmanager.memory.process.size: 1.5 GiB\n", "wrong-value 7:34"],
  ["1.20", "parallelism.default: four\n", "wrong-value 7:22"],
  ["1.20", "taskmanager.memory.network.fraction: 10%\n", "wrong-value 7:38"],
  ["1.20", `${C}.mode: exactly-once\n`, "wrong-value 7:31"],
  ["1.20", `${C}.timeout: 600\n`, "unit-missing 7:34"],
  ["1.20", "taskmanager.memory.process.size: 4096\n", "unit-missing 7:34"],
  [
    "1.20",
    `${C}.unaligned.enabled: true\n${C}.max-concurrent-checkpoints: 2\n`,
    "unaligned-with-concurrent 8:1",
  ],
  [
    "1.20",
    `${C}.mode: AT_LEAST_ONCE\n${C}.unaligned.enabled: true\n`,
    "unaligned-at-least-once 8:1",
  ],
  ["1.20", `${C}.aligned-checkpoint-timeout: 5 s\n`, "aligned-timeout-without-unaligned 7:1"],
  ["1.20", `${C}.storage: jobmanager\n`, "state-in-job-manager 7:1"],
  ["1.20", "high-availability.storageDir: /mnt/ha\n", "directory-not-shared 7:1"],
  ["1.20", `${C}.min-pause: 5 min\n`, "pause-limits-interval 7:1"],
  ["1.20", `${C}.timeout: 5\n`, "timeout-too-short 7:1, unit-missing 7:34"],
  ["1.20", `${C}.interval-during-backlog: 1 s\n`, "backlog-interval-too-short 7:1"],
  ["1.20", `${C}.data-inline-threshold: 2 mb\n`, "inline-threshold-too-large 7:1"],
  [
    "1.20",
    `${C}.externalized-checkpoint-retention: RETAIN_ON_CANCELLATION\n`,
    "retained-without-high-availability 7:1",
  ],
  [
    "1.20",
    "high-availability.type: zookeeper\nhigh-availability.storageDir: s3://bucket/ha\n",
    "high-availability-incomplete 7:1",
  ],
  ["1.20", "state.changelog.storage: filesystem\n", "changelog-without-path 7:1"],
  ["1.20", `${C}.local-backup.enabled: true\n`, "local-copies-need-disk 7:1"],
  ["1.20", "state.backend.rocksdb.timer-service.factory: heap\n", "heap-timers 7:1"],
  ["1.20", "state.backend.rocksdb.memory.managed: false\n", "rocksdb-memory-unbounded 7:1"],
  [
    "1.20",
    "restart-strategy.type: exponential-delay\nrestart-strategy.fixed-delay.attempts: 3\n",
    "strategy-not-chosen 8:1",
  ],
  ["1.20", "heartbeat.timeout: 5 s\n", "heartbeat-too-short 7:1"],
  ["1.20", "transaction.timeout.ms: 60000\n", "transaction-shorter-than-checkpoint 7:1"],
];

function places(findings: readonly LintFinding[]): string {
  return findings.map(({ code, line, column }) => `${code} ${line}:${column}`).join(", ");
}

describe("in a file that is well", () => {
  test("nothing is found, and it stays as it is", async () => {
    expect(await lint("1.20", WELL)).toEqual([]);
    expect(await mended("2.3", WELL)).toBe(WELL);
  });

  test.each(CASES)("Flink %s: %j is found at its place", async (release, added, expected) => {
    expect(places(await lint(release, WELL + added))).toBe(expected);
  });
});

test.each([
  ["2.3", "state.backend.type: filesystem\n", "value-removed"],
  ["1.20", "state.backend.type: filesystem\n", "directory-missing"],
  ["1.20", `${C}.interval: 5\n`, "interval-too-short"],
  ["1.20", "state.backend.type: rocksdb\n", "full-snapshots"],
  ["1.20", `${C}.interval: 1 min\n`, "nothing-retained"],
  ["1.20", `${C}.interval: 1 min\n`, "no-failure-tolerated"],
  [
    "1.20",
    "state.backend.type: com.acme.Backend\nexecution.state-recovery.claim-mode: NO_CLAIM\n",
    "no-claim-needs-full-snapshots",
  ],
])("Flink %s: %j has among others %s", async (release, text, code) => {
  expect((await lint(release, text)).map((finding) => finding.code)).toContain(code);
});

test("a form of file that the release does not read is said so", async () => {
  expect((await lint("1.18", WELL))[0]).toMatchObject({ code: "file-not-read", line: 1 });
  expect(places(await lint("2.0", "", "flink-conf.yaml"))).toBe("file-not-read 1:1");
});

test("a key is proposed in the spelling of the release", async () => {
  const old = "flink-conf.yaml";
  expect(await mended("1.16", `${C}.dir: s3://b/c\n`, old)).toBe(
    "state.checkpoints.dir: s3://b/c\n",
  );
  expect(await mended("2.3", "state.checkpoints.dir: s3://b/c\n")).toBe(`${C}.dir: s3://b/c\n`);
  expect(places(await lint("1.16", "state.checkpoints.dir: s3://b/c\n", old))).toBe("");
});

test("the old flat form is read as Flink reads it, and its words are mended where they stand", async () => {
  const text = `# ours\r\n${C}.interval:60000  # a minute\r\nstate.backend: "rocksdb"\r\nblob.server.port: '6124'\r\n`;
  const findings = await lint("1.18", text, "conf/flink-conf.yaml");
  expect(places(findings)).toBe(
    "line-dropped 2:1, key-renamed 3:1, wrong-value 3:16, quotes-are-kept 4:1",
  );
  expect(await mended("1.18", text, "conf/flink-conf.yaml")).toBe(
    `# ours\r\n${C}.interval: 60000  # a minute\r\nstate.backend.type: rocksdb\r\nblob.server.port: 6124\r\n`,
  );
});

test("a nested key is renamed with its comments kept and no empty level left", async () => {
  const text =
    "# ours\nstate:\n  checkpoints:\n    dir: s3://b/c # theirs\nheartbeat:\n  timeout: 1 min\n";
  expect(await mended("2.3", text)).toBe(
    `# ours\n${C}.dir: s3://b/c # theirs\nheartbeat:\n  timeout: 1 min\n`,
  );
});

test("values of secret keys are not repeated", async () => {
  const findings = await lint("1.20", "rest.api-key: hunter2\nstate.backend.typ: hunter3\n");
  expect(JSON.stringify(findings)).not.toContain("hunter2");
});

test("a mended file has nothing more that can be mended, and no new error", async () => {
  const keys = [
    "state.backend",
    "akka.framesize",
    `${C}.timeout`,
    `${C}.unaligned`,
    "heartbeat.timeout",
  ];
  const values = ["10 mins", "yes", "rocksdb", "1.5 GiB", "true", "600000", "filesystem"];
  const entry = fc.record({ key: fc.constantFrom(...keys), value: fc.constantFrom(...values) });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(entry, { selector: ({ key }) => key, maxLength: 5 }),
      fc.constantFrom("1.15", "1.18", "1.20", "2.3"),
      fc.boolean(),
      async (entries, release, isNested) => {
        const lines = entries.map(({ key, value }) => {
          const [first = "", ...rest] = key.split(".");
          return isNested && first !== "state" && first !== "execution"
            ? `${first}:\n  ${rest.join(".")}: ${value}\n`
            : `${key}: ${value}\n`;
        });
        const text = lines.join("");
        const again = await lint(release, await mended(release, text));
        expect(again.filter(({ fix }) => fix !== undefined)).toEqual([]);
        const codes = new Set((await lint(release, text)).map(({ code }) => code));
        const errors = again.filter(
          ({ severity, code }) => severity === "error" && !codes.has(code),
        );
        // A value that could not be read before may now show what it means.
        expect(errors.filter(({ code }) => /key|dropped|unreadable/u.test(code))).toEqual([]);
      },
    ),
    { numRuns: 200 },
  );
});

test("any text is read without a crash", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.boolean(),
      async (text, isFlat) => {
        await lint("1.20", text, isFlat ? "flink-conf.yaml" : "config.yaml");
        await mended("1.20", text, isFlat ? "flink-conf.yaml" : "config.yaml");
      },
    ),
    { numRuns: 500 },
  );
});
