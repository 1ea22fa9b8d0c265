import { finding, options, type Rule, strongest } from "../rule.ts";

const EMPTY = [
  {
    text: /No checkpoint found (?:to restore from|during restore)|Found 0 checkpoints in/u,
    confidence: 1,
  },
];

/** The path to restore from stands where nobody reads it; the job started empty. */
export const restorePathNotApplied: Rule = {
  code: "restore-path-not-applied",
  needs: ["logs", "settings"],
  examine(facts) {
    const best = strongest(facts, EMPTY);
    if (
      best === undefined ||
      facts.has(/Starting job \S+ from savepoint|Restoring job \S+ from (?:Savepoint|Checkpoint)/u)
    )
      return undefined;
    const path = facts.evidence.settings.find(
      (setting) =>
        /(?:initialSavepointPath|fromSavepoint|savepoint\.path|state-recovery\.path|savepointPath)$/u.test(
          setting.key,
        ) &&
        setting.value !== "" &&
        setting.value !== "null",
    );
    const command = facts.first({
      text: /(?:\s-s\s+|--fromSavepoint[ =]|execution\.savepoint\.path=|state-recovery\.path=)(\S+)/u,
    });
    if (path === undefined && command === undefined) return undefined;
    const operator = path !== undefined && path.key.endsWith("initialSavepointPath");
    const remedies = operator
      ? [
          {
            key: "savepointRedeployNonce",
            current: facts.settingNamed("savepointRedeployNonce")?.value,
            proposed: "1",
          },
        ]
      : options(facts, "execution.state-recovery.path");
    const found = finding(
      facts,
      "restore-path-not-applied",
      0.9,
      best.match,
      { path: path?.value ?? command?.groups?.[1] },
      remedies,
    );
    return path === undefined
      ? found
      : {
          ...found,
          evidence: [...found.evidence, { ...path.place, text: `${path.key}: ${path.value}` }],
        };
  },
};
