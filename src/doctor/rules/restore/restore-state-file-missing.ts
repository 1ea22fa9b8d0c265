import { finding, options, type Rule, strongest } from "../rule.ts";

const CLUES = [
  {
    text: /(?:FileNotFoundException|NoSuchFileException|NoSuchKey|does not exist|No such file or directory|404 Not Found|Status Code: 404|[Bb]lock \S+ does not exist|Could not obtain block)/u,
    and: /\/(?:chk-\d+|savepoint-[\w-]+)\/[\w.-]+/u,
    not: /\/shared\/|_metadata['"]? |Cannot find meta data file|in directory/u,
    roles: ["restore", "task", "job", "report"] as const,
    confidence: 0.9,
  },
];

/** `_metadata` names a file that is gone. */
export const restoreStateFileMissing: Rule = {
  code: "restore-state-file-missing",
  needs: ["logs", "listing"],
  examine(facts) {
    const best = strongest(facts, CLUES);
    if (best === undefined) return undefined;
    const text = facts.textOf(best.match.statement.event);
    const path =
      /((?:[a-z][\w+.-]*:\/*)?\/?[^\s'"()]*\/(?:chk-\d+|savepoint-[\w-]+)\/[\w.-]+)/u.exec(
        text,
      )?.[1] ?? "";
    if (path.endsWith("_metadata")) return undefined;
    const directory = /(?:chk-\d+|savepoint-[\w-]+)(?=\/)/u.exec(path)?.[0] ?? "no such";
    const siblings = facts.evidence.listing.some((file) => file.path.includes(`${directory}/`));
    const remote = /^(?:s3[anp]?|hdfs|oss|gs|abfss?|viewfs|cos|nas):/u.test(path);
    const restoring =
      best.match.statement.role === "restore" ||
      /restore|Restor|StreamOperatorStateContext/u.test(text);
    const confidence = siblings ? 0.93 : remote ? 0.78 : 0.6;
    return finding(
      facts,
      "restore-state-file-missing",
      restoring ? confidence : confidence - 0.15,
      best.match,
      { path },
      options(facts, "execution.state-recovery.path", [
        "execution.checkpointing.num-retained",
        "3",
      ]),
    );
  },
};
