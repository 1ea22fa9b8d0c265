import { alignmentRemedies } from "./alignment-remedies.ts";
import type { Facts } from "../../analysis/facts.ts";
import { type Finding, line, measured, type Rule } from "../rule.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** Barriers queue behind the data of a busy operator of the job itself. */
export const backpressureSlowOperator: Rule = {
  code: "backpressure-slow-operator",
  needs: ["rest"],
  examine(facts) {
    const expiry = expiryOf(facts);
    const trouble = expiry.expired;
    const found = expiry.bottleneck;
    if (
      found !== undefined &&
      trouble &&
      !found.isSink &&
      found.skewedTo === undefined &&
      !expiry.barrierPassed
    ) {
      return measured(
        "backpressure-slow-operator",
        found.upstreamBackpressured ? 0.9 : 0.82,
        [
          line(
            found.place,
            `${found.name} is busy ${Math.round(found.busy * 100)} %${found.upstreamBackpressured ? ", what comes before it is back-pressured" : ""}`,
            `${found.name} 繁忙 ${Math.round(found.busy * 100)} %${found.upstreamBackpressured ? "，其上游被反压" : ""}`,
          ),
        ],
        { operator: found.name },
        alignmentRemedies(facts),
      );
    }
    const slow = expiry.slowest;
    const waits = slow !== undefined && (slow.kind === "start-delay" || slow.kind === "alignment");
    if (
      slow !== undefined &&
      waits &&
      trouble &&
      slow.ms >= 1000 &&
      slow.ms >= 0.5 * Math.max(1, slow.subtask.durationMs ?? slow.ms)
    ) {
      const sink = /^sink/iu.test(slow.vertexName ?? "") || found?.isSink === true;
      return measured(
        "backpressure-slow-operator",
        sink ? 0.6 : 0.86,
        [
          line(
            slow.line,
            `subtask ${slow.subtask.index}: ${slow.kind === "start-delay" ? "start delay" : "alignment"} ${slow.ms} ms, synchronous ${slow.subtask.syncMs ?? 0} ms, asynchronous ${slow.subtask.asyncMs ?? 0} ms`,
            `子任务 ${slow.subtask.index}：${slow.kind === "start-delay" ? "启动延迟" : "对齐"} ${slow.ms} 毫秒，同步 ${slow.subtask.syncMs ?? 0} 毫秒，异步 ${slow.subtask.asyncMs ?? 0} 毫秒`,
          ),
        ],
        { operator: slow.vertexName, startDelayMs: slow.ms, checkpointId: slow.checkpointId },
        alignmentRemedies(facts),
      );
    }
    const late = trouble ? lateExecution(facts) : undefined;
    if (late !== undefined) return late;
    const level = facts.evidence.rest.backpressure.find((entry) => /high/u.test(entry.level));
    if (level === undefined || !trouble || expiry.barrierPassed) return undefined;
    return measured(
      "backpressure-slow-operator",
      0.7,
      [line(level.place, "a vertex is back-pressured", "有顶点被反压")],
      {},
      alignmentRemedies(facts),
    );
  },
};

/** The task itself says that it took the barrier long after it was there. */
function lateExecution(facts: Facts): Finding | undefined {
  const late = facts.first({
    text: /Time from receiving all checkpoint barriers\/RPC (?:for checkpoint \d+ )?to executing it exceeded threshold: (\d+) ?ms/u,
  });
  if (late === undefined) return undefined;
  const shown = line(late.statement.place, late.statement.text);
  return measured("backpressure-slow-operator", 0.72, [shown], {}, alignmentRemedies(facts));
}
