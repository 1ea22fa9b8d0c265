import { finding, options, type Rule, strongest } from "../rule.ts";

const CLOSE = [
  {
    text: /Could not flush (?:and close the file system output stream|to file and close the file system output stream) to (?:hdfs|viewfs)/u,
    roles: ["checkpoint", "task", "report"] as const,
    confidence: 0.84,
  },
];
const SLOW = [
  {
    text: /Slow (?:ReadProcessor read fields|waitForAckedSeqno|flushOrSync|BlockReceiver|manageWriterOsCache)/u,
    confidence: 0.95,
  },
];

/** Closing even a small file takes long, because DataNodes stall. */
export const hdfsSlowWrite: Rule = {
  code: "hdfs-slow-write",
  needs: ["logs"],
  examine(facts) {
    const slow =
      facts.hasExpired || facts.failedCheckpoints.length > 0 ? strongest(facts, SLOW) : undefined;
    const closing = strongest(facts, CLOSE);
    const best = slow ?? closing;
    if (best === undefined) return undefined;
    // A close that failed for a stated reason is that reason's case.
    const chain = best.match.statement.event.thrown.filter((error) => error.role !== "suppressed");
    const deepest = chain.at(-1);
    const deeper =
      slow === undefined &&
      deepest !== undefined &&
      !/Could not flush|ExecutionException|Could not materialize/u.test(
        `${deepest.className} ${deepest.message}`,
      );
    const confidence = deeper ? 0.3 : slow !== undefined ? 0.85 : best.confidence;
    return finding(
      facts,
      "hdfs-slow-write",
      confidence,
      best.match,
      {},
      options(
        facts,
        "execution.checkpointing.timeout",
        "execution.checkpointing.tolerable-failed-checkpoints",
        "dfs.datanode.directoryscan.interval",
      ),
    );
  },
};
