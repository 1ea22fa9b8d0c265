import { alignmentRemedies } from "./alignment-remedies.ts";
import { line, measured, type Rule } from "../rule.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** The sink is slower than what flows to it, and barriers queue behind the data. */
export const backpressureSlowSink: Rule = {
  code: "backpressure-slow-sink",
  needs: ["rest", "logs"],
  examine(facts) {
    const expiry = expiryOf(facts);
    if (!expiry.expired) return undefined;
    const found = expiry.bottleneck;
    const missingSink = expiry.missing.find((entry) =>
      /sink|writer/iu.test(entry.vertexName ?? ""),
    );
    if (found !== undefined && found.isSink && found.skewedTo === undefined) {
      return measured(
        "backpressure-slow-sink",
        found.upstreamBackpressured ? 0.92 : 0.82,
        [
          line(
            found.place,
            `${found.name} is busy ${Math.round(found.busy * 100)} %`,
            `${found.name} 繁忙 ${Math.round(found.busy * 100)} %`,
          ),
        ],
        { operator: found.name },
        alignmentRemedies(facts),
      );
    }
    const upstream = facts.evidence.rest.backpressure.find((entry) => /high/u.test(entry.level));
    if (found === undefined && missingSink !== undefined && upstream !== undefined) {
      return measured(
        "backpressure-slow-sink",
        0.86,
        [
          line(
            upstream.place,
            `${missingSink.vertexName} did not acknowledge, what comes before it is back-pressured`,
            `${missingSink.vertexName} 没有确认，其上游被反压`,
          ),
        ],
        { operator: missingSink.vertexName },
        alignmentRemedies(facts),
      );
    }
    const slowSink = facts.first({
      text: /(?:bulk|batch|request|flush|insert|write)\S* (?:took|takes|taking|latency|duration)\D{0,20}\d{4,} ?ms|slow (?:bulk|sink|write|insert)|EsRejectedExecution|429 Too Many/iu,
      logger: /[Ss]ink|elastic|jdbc|clickhouse|hbase|opensearch|doris|redis|mongo/iu,
    });
    if (slowSink === undefined || expiry.lateCount === 0) return undefined;
    return measured(
      "backpressure-slow-sink",
      0.8,
      [line(slowSink.statement.place, slowSink.statement.text)],
      {},
      alignmentRemedies(facts),
    );
  },
};
