import { finding, options, type Rule, strongest } from "../rule.ts";

const LOST = [
  {
    text: /(?:FileNotFoundException|NoSuchFileException):? (?:File )?(?:file:\/*)?(\/[^\s()]+)/u,
    not: /\b(?:s3[anp]?|hdfs|oss|gs|abfss?):\/\//u,
    roles: ["restore", "task", "report", "checkpoint"] as const,
    confidence: 0.9,
  },
];

/** A path of one machine where others must read and write, too. */
export const storageLocalPathNotShared: Rule = {
  code: "storage-local-path-not-shared",
  needs: ["logs", "settings"],
  examine(facts) {
    const best = strongest(facts, LOST);
    if (best === undefined) return undefined;
    const path = best.match.groups?.[1] ?? "";
    if (!/chk-\d+|savepoint-|shared\/|checkpoint/iu.test(path)) return undefined;
    const text = facts.textOf(best.match.statement.event);
    if (/_metadata/u.test(path) && !/LocalFileSystem|LocalDataInputStream/u.test(text))
      return undefined;
    const directory = facts.setting("execution.checkpointing.dir")?.value ?? "";
    const ephemeral = /\/tmp\//u.test(path) || /^(?:file:\/*)?\/tmp/u.test(directory);
    const container =
      facts.evidence.settings.some((setting) =>
        /FlinkDeployment|^kind$|kubernetes|upgradeMode/u.test(`${setting.key} ${setting.value}`),
      ) ||
      facts.evidence.events.some((event) =>
        /taskmanager-\d+-\d+|container_|pod/u.test(`${event.process ?? ""}${event.message}`),
      );
    const managers = new Set(
      facts.evidence.events.flatMap(
        (event) => /@ (\S+) \(dataPort/u.exec(event.message)?.[1] ?? [],
      ),
    ).size;
    const siblings = facts.evidence.listing.some((file) =>
      file.path.includes(/chk-\d+/u.exec(path)?.[0] ?? "no such"),
    );
    if (siblings) return undefined;
    const confidence = ephemeral || container || managers > 1 ? 0.9 : 0.7;
    return finding(
      facts,
      "storage-local-path-not-shared",
      confidence,
      best.match,
      { path },
      options(facts, ["execution.checkpointing.dir", "s3://bucket/checkpoints"]),
    );
  },
};
