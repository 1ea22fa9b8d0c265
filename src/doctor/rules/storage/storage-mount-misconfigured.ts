import { finding, line, options, type Rule } from "../rule.ts";
import { directoryFailureOf } from "../../analysis/directory-failure.ts";

/** The directory is not the mounted volume on one of the processes. */
export const storageMountMisconfigured: Rule = {
  code: "storage-mount-misconfigured",
  needs: ["logs", "settings"],
  examine(facts) {
    const failure = directoryFailureOf(facts);
    if (failure === undefined) return undefined;
    const found = finding(
      facts,
      "storage-mount-misconfigured",
      failure.mount,
      failure.match,
      { path: failure.path },
      options(facts, "execution.checkpointing.dir"),
    );
    return failure.proof === undefined
      ? found
      : { ...found, evidence: [...found.evidence, line(failure.proof.place, failure.proof.text)] };
  },
};
