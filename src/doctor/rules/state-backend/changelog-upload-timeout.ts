import { type Rule, signature } from "../rule.ts";

const CHANGELOG =
  /changelog|RetryingExecutor|StateChange(?:Fs)?Uploader|BatchingStateChangeUpload/u;

/** Uploads of the state changelog run into their time-out. */
export const changelogUploadTimeout: Rule = signature({
  code: "changelog-upload-timeout",
  clues: [
    { text: /Attempt \d+ timed out after \d+ ?ms/u, confidence: 0.95 },
    {
      text: /The upload for .* has already failed previously|failed with \d+ attempts: .*[Tt]imeout/u,
      confidence: 0.93,
    },
    { text: /TimeoutException/u, frame: CHANGELOG, confidence: 0.92 },
  ],
  judge: (confidence, facts, match) =>
    /trouble|note/u.test(match.statement.role) &&
    (facts.failedCheckpoints.length > 0 || facts.hasExpired)
      ? 0.9
      : confidence,
  remedies: [
    ["state.changelog.dstl.dfs.upload.timeout", "10 s"],
    ["state.changelog.dstl.dfs.upload.max-attempts", "5"],
  ],
});
