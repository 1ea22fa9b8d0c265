import type { Facts } from "../../analysis/facts.ts";
import { finding, line, measured, options, type Rule } from "../rule.ts";

const DESCRIBED =
  /(?:目录|directory|folder|path).*(?:没有(?:任何)?(?:内容|文件|数据)|为空|空的|没有chk|is empty|looks empty|nothing (?:in|under|below)|no files?|no chk|only (?:contains |has )?_metadata)|(?:没有|no|without)\s*(?:任何)?\s*chk|只有\s*_metadata|only (?:a |the )?_?metadata|下面没有任何内容/iu;

/** What a task or the coordinator says when a checkpoint is complete. */
const CONFIRMED =
  /checkpointComplete|Completed checkpoint \d+|Confirm(?:ed)? (?:completed )?checkpoint|ConfirmCheckpoint \d+|Notification of complete checkpoint|Notify checkpoint \d+ complete/u;

/** Not a fault: small state lies inside `_metadata`, so the directory looks empty. */
export const stateInlinedInMetadata: Rule = {
  code: "state-inlined-in-metadata",
  needs: ["logs", "listing"],
  examine(facts) {
    if (facts.failedCheckpoints.length > 0) return undefined;
    const remedies = options(facts, ["execution.checkpointing.data-inline-threshold", "0"]);
    const chk = facts.evidence.listing.filter((file) => /\/chk-\d+(?:\/|$)/u.test(file.path));
    const metadata = chk.find((file) => file.path.endsWith("_metadata"));
    const data = chk.some(
      (file) => /\/chk-\d+\/[^/]+$/u.test(file.path) && !file.path.endsWith("_metadata"),
    );
    const completes =
      facts.completedCheckpoints.length > 0 ||
      facts.has(
        /checkpointComplete|Confirm(?:ed)? (?:completed )?checkpoint|ConfirmCheckpoint|Notification of complete checkpoint|Notify checkpoint \d+ complete/u,
      );
    if (metadata !== undefined && !data && completes) {
      return measured(
        "state-inlined-in-metadata",
        0.88,
        [
          line(
            metadata.place,
            `${metadata.path} is the only file of its checkpoint`,
            `${metadata.path} 是该检查点唯一的文件`,
          ),
        ],
        { path: metadata.path },
        remedies,
      );
    }
    const described = facts.first({ text: DESCRIBED, roles: ["report", "note"] });
    if (described === undefined || !completes) return undefined;
    const found = finding(
      facts,
      "state-inlined-in-metadata",
      0.86,
      described,
      { path: storedAt(facts) },
      remedies,
    );
    const confirmed = facts.statements.findLast(
      (statement) => statement.event.logger !== undefined && CONFIRMED.test(statement.text),
    );
    if (confirmed === undefined) return found;
    return { ...found, evidence: [...found.evidence, line(confirmed.place, confirmed.text)] };
  },
};

/** Where the tasks really write, as the backend names it. */
function storedAt(facts: Facts): string | undefined {
  for (const statement of facts.statements) {
    const found = /File Stream Factory @ ([^\s,)]+)/u.exec(statement.text);
    if (found !== null) return found[1];
  }
  return facts.setting("execution.checkpointing.dir")?.value;
}
