import { options, type Rule, signature } from "../rule.ts";
import { sizeText } from "../../analysis/quantities.ts";

/** State goes to the JobManager's heap and passes its limit. */
export const stateExceedsMemoryLimit: Rule = signature({
  code: "state-exceeds-memory-limit",
  clues: [
    {
      text: /larger than the maximum permitted memory-backed state\.?(?: Size=(\d+) ?, maxSize=(\d+))?/u,
      confidence: 0.98,
    },
  ],
  subjects: (match) => {
    const sizes = /Size=(\d+) ?, maxSize=(\d+)/u.exec(match.statement.text);
    return sizes === null
      ? {}
      : {
          sizeBytes: Number(sizes[1]),
          size: sizeText(Number(sizes[1])),
          maxBytes: Number(sizes[2]),
        };
  },
  remediesOf(facts) {
    if (facts.version.max < 113)
      return options(facts, ["state.backend.type", "filesystem"], "execution.checkpointing.dir");
    return options(
      facts,
      ["execution.checkpointing.storage", "filesystem"],
      "execution.checkpointing.dir",
      ...(facts.version.min < 113 ? ([["state.backend.type", "filesystem"]] as const) : []),
    );
  },
});
