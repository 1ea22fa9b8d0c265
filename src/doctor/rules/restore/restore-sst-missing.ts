import { type Rule, signature } from "../rule.ts";

/** A file under `shared/`, on which incremental checkpoints build, is gone. */
export const restoreSstMissing: Rule = signature({
  code: "restore-sst-missing",
  clues: [
    {
      text: /(?:FileNotFoundException|NoSuchFileException|NoSuchKey|does not exist|No such file or directory|404 Not Found|Status Code: 404|Could not obtain block)/u,
      and: /\/shared\/[\w-]+/u,
      not: /Failed to create directory|Mkdirs|403|AccessDenied|getFileStatus on \S+\/shared:/u,
      roles: ["restore", "task", "job", "report", "checkpoint"],
      confidence: 0.94,
    },
    {
      text: /(?:FileNotFoundException|NoSuchFileException).*\.sst/u,
      frame: /Restore|restore|StateDownloader/u,
      confidence: 0.85,
    },
  ],
  subjects: (match, facts) => ({
    path: /((?:[a-z][\w+.-]*:\/*)?\/?[^\s'"()]*\/shared\/[\w.-]+)/u.exec(
      facts.textOf(match.statement.event),
    )?.[1],
  }),
  remedies: [
    "execution.state-recovery.claim-mode",
    ["execution.checkpointing.num-retained", "3"],
    "execution.state-recovery.path",
  ],
});
