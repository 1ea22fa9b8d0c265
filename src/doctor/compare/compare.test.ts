import { expect, test } from "vitest";

import { nodePlatform } from "../../base/index.ts";
import { diagnose } from "../diagnose.ts";
import {
  type Comparison,
  compareDiagnoses,
  renderComparison,
  renderComparisonJson,
} from "./index.ts";

type Files = Readonly<Record<string, string>>;

async function compare(left: Files, right: Files): Promise<Comparison> {
  const [a, b] = await Promise.all(
    [left, right].map((files) =>
      diagnose(
        Object.entries(files).map(([name, text]) => ({
          kind: "bytes" as const,
          name,
          bytes: new TextEncoder().encode(text),
        })),
        nodePlatform(),
      ),
    ),
  );
  if (a === undefined || b === undefined) throw new Error("two were compared");
  return compareDiagnoses(a, b);
}

const JOB = "00112233445566778899aabbccddeeff";
const COORDINATOR = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator [] -";
const CONFIG = "execution.checkpointing.interval: 60 s\ns3.secret-key: one\nrest.port: 8081\n";

/** Checkpoints of one duration and size, the last one possibly expired. */
function log(durationMs: number, bytes: number, expires: boolean): string {
  const lines = [1, 2, 3].flatMap((id) => [
    `2025-05-05 05:0${id}:00,000 INFO  ${COORDINATOR} Triggering checkpoint ${id} (type=CheckpointType{name='Checkpoint', sharingFilesStrategy=FORWARD_BACKWARD}) @ 1 for job ${JOB}.`,
    `2025-05-05 05:0${id}:30,000 INFO  ${COORDINATOR} Completed checkpoint ${id} for job ${JOB} (${bytes} bytes, checkpointDuration=${durationMs} ms, finalizationTime=1 ms).`,
  ]);
  if (expires)
    lines.push(
      `2025-05-05 05:10:00,000 INFO  ${COORDINATOR} Triggering checkpoint 4 (type=CheckpointType{name='Checkpoint', sharingFilesStrategy=FORWARD_BACKWARD}) @ 1 for job ${JOB}.`,
      `2025-05-05 05:20:00,000 INFO  ${COORDINATOR} Checkpoint 4 of job ${JOB} expired before completing.`,
    );
  return `${lines.join("\n")}\n`;
}

test("an environment beside itself has no difference", async () => {
  const files = { "config.yaml": CONFIG, "jm.log": log(900, 1e6, false) };
  const { differences, folded, equalSettings } = await compare(files, files);
  expect([differences, folded]).toEqual([[], []]);
  expect(equalSettings).toBe(3);
});

test("values that mean the same are equal, under an older name too", async () => {
  const other = CONFIG.replace("60 s", "1 min").concat("state.checkpoints.dir: s3://b/c\n");
  const { differences } = await compare(
    { "config.yaml": `${CONFIG}execution.checkpointing.dir: s3://b/c\n` },
    { "config.yaml": other },
  );
  expect(differences).toEqual([]);
});

test("the outcome comes first, then by effect; what does not matter is folded", async () => {
  const left = {
    "config.yaml": `${CONFIG}execution.checkpointing.timeout: 10 min\n`,
    "jm.log": log(900, 1e6, false),
  };
  const right = {
    "config.yaml": `${CONFIG.replace("8081", "8082")}state.backend.type: rocksdb\nexecution.checkpointing.timeout: 1 min\n`,
    "jm.log": log(45_000, 900e6, true),
  };
  const { differences, folded } = await compare(left, right);
  const names = differences.map(({ name }) => name);
  expect(names[0]).toBe("verdict");
  expect(names).toEqual(
    expect.arrayContaining(["stateBytes", "typicalDurationMs", "state.backend.type"]),
  );
  expect(names.indexOf("stateBytes")).toBeLessThan(names.indexOf("failed"));
  expect(folded.map(({ name }) => name)).toEqual(["rest.port"]);
});

test("a setting that a finding would change comes before stronger ones", async () => {
  const forbidden = `2025-05-05 05:05:05,005 INFO  ${COORDINATOR} Decline checkpoint 12 by task ab of job ${JOB} at 10.0.0.1:1-a @ h (dataPort=1).
org.apache.flink.util.SerializedThrowable: java.lang.Exception: Could not materialize checkpoint 12 for operator sum (1/2)#0.
Caused by: org.apache.flink.util.SerializedThrowable: com.amazonaws.services.s3.model.AmazonS3Exception: Forbidden (Service: Amazon S3; Status Code: 403; Error Code: InvalidAccessKeyId)
`;
  const { differences } = await compare(
    { "config.yaml": CONFIG },
    { "config.yaml": CONFIG.replace("one", "two").replace("60 s", "5 s"), "jm.log": forbidden },
  );
  expect(differences.slice(1, 3).map(({ name, isBlamed }) => [name, isBlamed])).toEqual([
    ["s3.secret-key", true],
    ["execution.checkpointing.interval", false],
  ]);
});

test("both languages and the JSON form say it, and no secret", async () => {
  const comparison = await compare(
    { "config.yaml": CONFIG },
    { "config.yaml": "execution.checkpointing.interval: 5 s\ns3.secret-key: two-secret\n" },
  );
  const names = ["test/", "production/"] as const;
  const english = renderComparison(comparison, { language: "en", width: 80, names });
  const chinese = renderComparison(comparison, { language: "zh", width: 80, names });
  const json = renderComparisonJson(comparison, names);
  expect(english).toContain(
    "execution.checkpointing.interval (how often checkpoints come)\n  A: 60 s\n  B: 5 s\n",
  );
  expect(chinese).toContain("检查点的频率");
  expect(chinese).not.toMatch(/\b(?:settings|differences|not)\b/u);
  expect(JSON.parse(json)).toMatchObject({ version: 1, left: "test/", right: "production/" });
  expect(english + chinese + json).not.toContain("two-secret");
});

test("of a long list only what differs is shown", async () => {
  const flags = Array.from({ length: 20 }, (_, index) => `--add-opens=java.base/p${index}=ALL`);
  const config = (...more: readonly string[]): string =>
    `env.java.opts.all: ${[...flags, ...more].join(" ")}\n`;
  const comparison = await compare(
    { "config.yaml": config("-Xfirst") },
    { "config.yaml": config("-Xsecond") },
  );
  const names = ["a", "b"] as const;
  const text = renderComparison(comparison, { language: "en", width: 80, names });
  expect(text).toContain("A: ... -Xfirst\n");
  expect(text).not.toContain("p7");
});
