import { finding, line, options, type Rule, strongest } from "../rule.ts";
import { directoryFailureOf } from "../../analysis/directory-failure.ts";

const SAID = [
  {
    text: /Permission denied: user=\S+, access=|AccessControlException/u,
    roles: ["checkpoint", "task", "job", "restore", "report", "trouble"] as const,
    confidence: 0.97,
  },
  {
    text: /AccessDeniedException: (?:file:\/*)?\/\S+|\(Permission denied\)|Permission denied|EACCES|EPERM/u,
    not: /s3|amazon|oss:|kafka|topic|mysql|Kerberos/iu,
    roles: ["checkpoint", "task", "job", "restore", "report"] as const,
    confidence: 0.93,
  },
];

/** The process may not create or write the directory. */
export const storagePermissionDenied: Rule = {
  code: "storage-permission-denied",
  needs: ["logs", "listing"],
  examine(facts) {
    const highAvailability = facts.has(/highly available storage path/u);
    const remedies = options(
      facts,
      "execution.checkpointing.dir",
      ...(highAvailability ? (["high-availability.storageDir"] as const) : []),
    );
    const said = strongest(facts, SAID);
    if (said !== undefined)
      return finding(facts, "storage-permission-denied", said.confidence, said.match, {}, remedies);
    const failure = directoryFailureOf(facts);
    if (failure === undefined) return undefined;
    const found = finding(
      facts,
      "storage-permission-denied",
      failure.permission,
      failure.match,
      { path: failure.path },
      remedies,
    );
    return failure.proof === undefined
      ? found
      : { ...found, evidence: [...found.evidence, line(failure.proof.place, failure.proof.text)] };
  },
};
