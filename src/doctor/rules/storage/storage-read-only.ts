import { finding, line, options, type Rule, strongest } from "../rule.ts";
import { directoryFailureOf } from "../../analysis/directory-failure.ts";

const SAID = [{ text: /[Rr]ead-only file system|EROFS/u, confidence: 0.96 }];

/** The directory could be written, and no longer can. */
export const storageReadOnly: Rule = {
  code: "storage-read-only",
  needs: ["logs", "listing"],
  examine(facts) {
    const remedies = options(facts, "execution.checkpointing.dir");
    const said = strongest(facts, SAID);
    if (said !== undefined)
      return finding(facts, "storage-read-only", said.confidence, said.match, {}, remedies);
    const failure = directoryFailureOf(facts);
    if (failure === undefined || failure.readOnly < 0.3) return undefined;
    const found = finding(
      facts,
      "storage-read-only",
      failure.readOnly,
      failure.match,
      { path: failure.path },
      remedies,
    );
    return failure.proof === undefined
      ? found
      : { ...found, evidence: [...found.evidence, line(failure.proof.place, failure.proof.text)] };
  },
};
