import { finding, measured, options, type Rule, strongest } from "../rule.ts";

const CLUES = [
  { text: /Target file \S*_metadata already exists/u, confidence: 0.96 },
  {
    text: /(?:FileAlreadyExistsException|already exists).*\/chk-\d+|\/chk-\d+\S* (?:for client \S+ )?already exists/u,
    roles: ["checkpoint", "task", "job", "restore", "report"] as const,
    confidence: 0.9,
  },
];
const ZERO_ID = "00000000000000000000000000000000";

/** Several jobs write below one directory. */
export const checkpointPathSharedByJobs: Rule = {
  code: "checkpoint-path-shared-by-jobs",
  needs: ["logs", "settings"],
  examine(facts) {
    const remedies = options(
      facts,
      ["execution.checkpointing.create-subdir", "true"],
      "execution.checkpointing.dir",
      "high-availability.cluster-id",
    );
    const best = strongest(facts, CLUES);
    if (best !== undefined)
      return finding(
        facts,
        "checkpoint-path-shared-by-jobs",
        best.confidence,
        best.match,
        {},
        remedies,
      );
    const zero = facts.evidence.events.filter((event) => event.message.includes(ZERO_ID));
    const names = new Set(
      facts.timeline.jobs.filter((change) => change.jobId === ZERO_ID).map((change) => change.name),
    );
    for (const event of zero) {
      const name = /(?:job|Job) '?([^'()]+?)'? \(0{32}\)/u.exec(event.message)?.[1];
      if (name !== undefined) names.add(name.trim());
    }
    const clusters = new Set(
      facts.evidence.settings
        .filter((setting) => /cluster-id$|metadata\.name$/u.test(setting.key))
        .map((setting) => setting.value),
    );
    const directories = new Set(
      facts.evidence.settings
        .filter((setting) =>
          /(?:state\.checkpoints|execution\.checkpointing)\.dir$/u.test(setting.key),
        )
        .map((setting) => setting.value),
    );
    const first = zero[0];
    if (first === undefined || (names.size < 2 && clusters.size < 2) || directories.size > 1)
      return undefined;
    return measured(
      "checkpoint-path-shared-by-jobs",
      0.85,
      [{ ...first.place, text: first.message.slice(0, 200) }],
      { jobs: [...names, ...clusters].join(", ") },
      remedies,
    );
  },
};
