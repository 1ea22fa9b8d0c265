import { createHash } from "node:crypto";
import { expect, test } from "vitest";

import { nodePlatform } from "../../../base/index.ts";
import { diagnose } from "../../diagnose.ts";
import { renderHtml } from "../render.ts";

const JOB = "00112233445566778899aabbccddeeff";
const COORDINATOR = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator [] -";
const LOG = `2025-05-05 05:05:00,000 INFO  ${COORDINATOR} Triggering checkpoint 11 (type=CheckpointType{name='Checkpoint', sharingFilesStrategy=FORWARD_BACKWARD}) @ 1 for job ${JOB}.
2025-05-05 05:05:01,500 INFO  ${COORDINATOR} Completed checkpoint 11 for job ${JOB} (1024 bytes, checkpointDuration=1500 ms, finalizationTime=1 ms).
2025-05-05 05:05:04,000 INFO  ${COORDINATOR} Triggering checkpoint 12 (type=CheckpointType{name='Checkpoint', sharingFilesStrategy=FORWARD_BACKWARD}) @ 1 for job ${JOB}.
2025-05-05 05:05:05,005 INFO  ${COORDINATOR} Decline checkpoint 12 by task ab_cd_0_0 of job ${JOB} at 10.0.0.1:1-a @ h (dataPort=1).
org.apache.flink.util.SerializedThrowable: java.lang.Exception: Could not materialize checkpoint 12 for operator <script>alert("1")</script> (1/2)#0.
Caused by: org.apache.flink.util.SerializedThrowable: com.amazonaws.services.s3.model.AmazonS3Exception: Forbidden for https://user:hunter2@s3.example (Service: Amazon S3; Status Code: 403; Error Code: InvalidAccessKeyId)
`;

async function page(language: "en" | "zh", text = LOG): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return renderHtml(
    await diagnose([{ kind: "bytes", name: "jm.log", bytes }], nodePlatform()),
    language,
  );
}

test("the page holds cause, evidence with its line, remedy, ruled out and the drawn timeline", async () => {
  const shown = await page("en");
  for (const part of [
    "s3-access-denied",
    "jm.log:6",
    "s3.access-key",
    "Not assessed",
    "<svg",
    "1.5 s",
  ])
    expect(shown).toContain(part);
  expect(shown.match(/<rect\s/gu)).toHaveLength(2);
  expect(shown).toContain('class="failed"');
});

test("text of a log is text on the page", async () => {
  const shown = await page("en");
  expect(shown).not.toMatch(/<script/u);
  expect(shown).toContain("&lt;script&gt;alert(&quot;1&quot;)");
  expect(shown).not.toContain("hunter2");
});

test("the page needs nothing beside itself, and its policy allows just its style", async () => {
  const shown = await page("en");
  const style = /<style>([^]*)<\/style>/u.exec(shown)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  expect(shown).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;`);
  expect(shown).not.toMatch(/\s(?:src|href|style|on\w+)=/u);
  expect(style).not.toMatch(/url\(|@import/u);
});

test("the Chinese page is Chinese but for what it quotes and names", async () => {
  const shown = await page("zh");
  const prose = shown
    .replace(/<head>[^]*<\/head>/u, "")
    .replace(/<(code|div class="quote"|title|pre|span class="dim")[^>]*>[^<]*</gu, "<")
    .replace(/<[^>]*>/gu, " ");
  expect(prose).not.toMatch(/\b(?:the|and|is|not|checkpoint|evidence|failed|completed)\b/iu);
  expect(shown).toContain('<html lang="zh">');
});

test("a page without a checkpoint or a cause is whole", async () => {
  const shown = await page("en", "2025-05-05 05:05:00,000 INFO  com.acme.Shop [] - hello\n");
  expect(shown).toContain("Undetermined");
  expect(shown).not.toContain("<svg");
  expect(shown.trimEnd().endsWith("</html>")).toBe(true);
});

test("times and sizes that no calendar knows leave their places empty", async () => {
  const absurd = JSON.stringify({
    counts: { restored: 0, total: 1, in_progress: 0, completed: 1, failed: 0 },
    history: [
      {
        id: 3,
        status: "COMPLETED",
        is_savepoint: false,
        trigger_timestamp: 1e300,
        end_to_end_duration: -5,
        state_size: 1e308,
      },
    ],
  });
  expect(await page("en", absurd)).toContain("<table>");
});
