import { finding, options, type Rule, strongest } from "../rule.ts";

const LOST = [
  {
    text: /FileNotFoundException|NoSuchKey|does not exist|No such file or directory/u,
    and: /\/chk-\d+\/[0-9a-f-]{20,}/u,
    roles: ["restore", "task", "job", "report"] as const,
    confidence: 0.9,
  },
];

/** A checkpoint taken after claiming a native savepoint looks for the savepoint's files in its own directory. */
export const claimNativeSavepointRelativePath: Rule = {
  code: "claim-native-savepoint-relative-path",
  needs: ["logs", "listing"],
  examine(facts) {
    const best = strongest(facts, LOST);
    if (best === undefined) return undefined;
    const name =
      /\/chk-\d+\/([0-9a-f-]{20,})/u.exec(facts.textOf(best.match.statement.event))?.[1] ??
      "no such";
    const inSavepoint = facts.evidence.listing.some(
      (file) => /savepoint/u.test(file.path) && file.path.endsWith(name),
    );
    const claimed =
      /^CLAIM$/iu.test(facts.setting("execution.state-recovery.claim-mode")?.value ?? "") ||
      facts.has(
        /-restoreMode claim|--claim|claim-mode[=:, ]+CLAIM|restoreMode[= ]CLAIM|\bin CLAIM (?:restore )?mode|restoreMode=CLAIM/iu,
      );
    const native = facts.has(/formatType=NATIVE|--type native|native (?:format )?savepoint/iu);
    if (!inSavepoint && !(claimed && native)) return undefined;
    return finding(
      facts,
      "claim-native-savepoint-relative-path",
      inSavepoint ? 0.95 : 0.91,
      best.match,
      { file: name },
      options(
        facts,
        ["execution.state-recovery.claim-mode", "NO_CLAIM"],
        "execution.state-recovery.path",
      ),
    );
  },
};
