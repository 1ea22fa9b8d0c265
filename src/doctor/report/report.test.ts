import { expect, test } from "vitest";

import { nodePlatform } from "../../base/index.ts";
import { CAUSES, type CauseCode } from "../cause-codes.ts";
import { diagnose } from "../diagnose.ts";
import { articleOn } from "./articles/index.ts";
import { exitCodeOf, explainCause, renderHtml, renderJson, renderText } from "./render.ts";
import { reportOf } from "./report.ts";
import { widthOf, wrapText } from "./wrap-text.ts";

const LOG = `2025-05-05 05:05:05,005 INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator    [] - Decline checkpoint 12 by task ab_cd_0_0 of job 00112233445566778899aabbccddeeff at 10.0.0.1:1-a @ h (dataPort=1).
org.apache.flink.util.SerializedThrowable: java.lang.Exception: Could not materialize checkpoint 12 for operator sum (1/2)#0.
Caused by: org.apache.flink.util.SerializedThrowable: com.amazonaws.services.s3.model.AmazonS3Exception: Forbidden for https://user:hunter2@s3.example (Service: Amazon S3; Status Code: 403; Error Code: InvalidAccessKeyId AKIAABCDEFGHIJKLMNOP)
`;

const diagnosed = diagnose(
  [
    { kind: "bytes", name: "jm.log", bytes: new TextEncoder().encode(LOG) },
    {
      kind: "bytes",
      name: "config.yaml",
      bytes: new TextEncoder().encode(
        "s3.access-key: topsecret\ns3.secret-key: topsecret\nexecution.checkpointing.dir: s3://b/ck\n",
      ),
    },
  ],
  nodePlatform(),
);

test("the report names checkpoint, operator, subtask, phase, evidence and change", async () => {
  const text = renderText(await diagnosed, { language: "en", colour: false, width: 80 });
  expect(text).toContain("s3-access-denied");
  expect(text).toContain("checkpoint: 12");
  expect(text).toContain("operator: sum");
  expect(text).toContain("subtask: 1/2");
  expect(text).toContain("asynchronous part");
  expect(text).toContain("jm.log:3");
  expect(text.split("\n").every((line) => widthOf(line) <= 80)).toBe(true);
});

test("no secret is shown in any form", async () => {
  const shown =
    renderText(await diagnosed, { language: "zh", colour: true, width: 100 }) +
    renderJson(await diagnosed) +
    (await renderHtml(await diagnosed, "en"));
  for (const secret of ["topsecret", "hunter2", "AKIAABCDEFGHIJKLMNOP"])
    expect(shown).not.toContain(secret);
});

test("the way out names the complete directories of a listing, however long its rows", async () => {
  const id = "ab".repeat(16);
  const rows = [1, 2, 3].flatMap((chk) => [
    `drwxr-xr-x flink:9999      100 2026-11-30 17:40:42 /ck/${id}/chk-${chk}`,
    `-rw-r--r-- flink:9999  1051714 2026-11-30 17:40:41 /ck/${id}/chk-${chk}/${"cd".repeat(18)}`,
    `-rw-r--r-- flink:9999  1051714 2026-11-30 17:40:41 /ck/${id}/chk-${chk}/${"ef".repeat(18)}`,
    ...(chk < 3
      ? [`-rw-r--r-- flink:9999 33 2026-11-30 17:40:42 /ck/${id}/chk-${chk}/_metadata`]
      : []),
  ]);
  const bytes = new TextEncoder().encode(`${rows.join("\n")}\n`);
  const { waysOut } = reportOf(
    await diagnose([{ kind: "bytes", name: "listing.txt", bytes }], nodePlatform()),
  );
  expect(waysOut.map(({ path, usable }) => [path, usable])).toEqual([
    [`/ck/${id}/chk-2`, true],
    [`/ck/${id}/chk-1`, true],
    [`/ck/${id}/chk-3`, false],
  ]);
});

test("the JSON form has its version and the documented members", async () => {
  const report: unknown = JSON.parse(renderJson(await diagnosed));
  expect(report).toMatchObject({
    version: 1,
    verdict: "cause",
    findings: [
      {
        cause: "s3-access-denied",
        phase: "async",
        place: "external-storage",
        evidence: [
          { file: "jm.log", line: 1 },
          { file: "jm.log", line: 3 },
        ],
      },
    ],
  });
});

test("a forged line moves no cursor, in any form", async () => {
  const forged = LOG.replace("sum (1/2)", "\u001B[2J\u001B]0;owned\u0007\u009B31msum\u202E (1/2)");
  const bytes = new TextEncoder().encode(forged);
  const name = "\u001B[31mjm.log";
  const diagnosis = await diagnose([{ kind: "bytes", name, bytes }], nodePlatform());
  const forms = [
    renderText(diagnosis, { language: "en", colour: false, width: 100 }),
    renderJson(diagnosis),
    await renderHtml(diagnosis, "zh"),
  ];
  for (const form of forms) {
    expect(form).toContain("s3-access-denied");
    // oxlint-disable-next-line no-control-regex
    expect(form).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]|\\u001b|owned/u);
  }
});

test("exit codes tell the verdict", () => {
  expect([exitCodeOf("healthy"), exitCodeOf("cause"), exitCodeOf("undetermined")]).toEqual([
    0, 1, 2,
  ]);
});

test("every article is there in Chinese, and in Chinese words", () => {
  for (const code of Object.keys(CAUSES)) {
    const article = articleOn(code as CauseCode, "zh");
    const explained = explainCause(code as CauseCode, { language: "zh", colour: false, width: 80 });
    for (const text of [article.title, article.why, article.fix])
      expect([code, /[\u4E00-\u9FFF]/u.test(text)]).toEqual([code, true]);
    expect(explained.replaceAll(code, "")).not.toMatch(/\b(?:the|and|is|not)\b/u);
  }
});

test("wide characters count as two columns when lines are broken", () => {
  expect(wrapText("检查点失败的原因很多很多很多", 12, 2).every((line) => widthOf(line) <= 12)).toBe(
    true,
  );
});
