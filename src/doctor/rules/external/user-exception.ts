import { BY_ELIMINATION, type Rule, signature } from "../rule.ts";
import { isUserFrame } from "../../analysis/user-frames.ts";

/** The job fails for a reason of its own; the checkpoint is a victim. */
export const userException: Rule = signature({
  code: "user-exception",
  clues: [
    { text: /switched from RUNNING to FAILED/u, confidence: BY_ELIMINATION },
    {
      text: /.+Exception/u,
      frame: /\.(?:processElement\d?|flatMap|map|filter|invoke|onTimer|reduce|process|apply)$/u,
      roles: ["task", "job", "report"],
      confidence: 0.77,
    },
  ],
  judge(confidence, facts, match) {
    const chain = match.statement.event.thrown.filter((error) => error.role !== "suppressed");
    if (
      chain.length === 0 ||
      match.statement.role === "checkpoint" ||
      match.statement.role === "restore"
    )
      return undefined;
    const frames = chain.flatMap((error) => error.frames.map((frame) => frame.method));
    const user = frames.some((frame) => isUserFrame(frame));
    const text = facts.textOf(match.statement.event);
    if (/of operator ".*", subtask \S+, failed/u.test(text)) return confidence;
    const foreign = chain.some(
      (error) =>
        !/^(?:org\.apache\.flink\.|java\.util\.concurrent\.(?:Timeout|Completion)|$)/u.test(
          error.className,
        ),
    );
    return user ? confidence : frames.length === 0 && foreign ? 0.62 : 0.5;
  },
  remedies: ["restart-strategy.type"],
});
