import { BY_ELIMINATION, finding, options, type Rule, strongest } from "../rule.ts";

const CLUES = [
  { text: /TaskManager with id (\S+) is no longer reachable/u, confidence: 1 },
  {
    text: /(?:Connection unexpectedly closed by|Lost connection to) (?:remote )?task manager '?([^'\s]+)/u,
    confidence: 0.97,
  },
  {
    text: /TaskManager was lost\/killed|The assigned slot \S+ was removed|Container released on a \*?lost\*? node|Task manager \S+ terminated|Detected unreachable|TaskExecutor .* (?:is )?(?:unexpectedly )?no longer (?:running|available)|Worker \S+ is terminated|Pod is terminated|Completed container \S+ with (?:exit status|exit code)/u,
    confidence: 0.93,
  },
];

/** A TaskManager's process vanished, and nothing says why. */
export const taskmanagerLost: Rule = {
  code: "taskmanager-lost",
  needs: ["logs"],
  examine(facts) {
    const best = strongest(facts, CLUES);
    if (best === undefined) return undefined;
    const heartbeat = facts.has(/[Hh]eartbeat of TaskManager with id \S+ +timed out/u);
    const confidence = heartbeat ? 0.6 : Math.max(0.76, Math.min(BY_ELIMINATION, best.confidence));
    return finding(
      facts,
      "taskmanager-lost",
      confidence,
      best.match,
      { taskManager: best.match.groups?.[1] },
      options(
        facts,
        "restart-strategy.type",
        "restart-strategy.fixed-delay.attempts",
        "restart-strategy.fixed-delay.delay",
      ),
    );
  },
};
