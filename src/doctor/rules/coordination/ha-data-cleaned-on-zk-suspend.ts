import { finding, options, type Rule, strongest } from "../rule.ts";

const SUSPENDED = [
  {
    text: /Connection to ZooKeeper suspended|Connection to ZooKeeper lost|ConnectionLossException|Session expired|SessionExpiredException/u,
    confidence: 1.2,
  },
];

/** A pause of ZooKeeper made Flink end the job and remove the data it would recover from. */
export const haDataCleanedOnZkSuspend: Rule = {
  code: "ha-data-cleaned-on-zk-suspend",
  needs: ["logs"],
  examine(facts) {
    const best = strongest(facts, SUSPENDED);
    if (best === undefined) return undefined;
    const cleaned = facts.has(
      /[Cc]lean(?:ed|ing)? up all data|closeAndCleanupAllData|Close and clean up all data/u,
    );
    const empty = facts.has(/Found 0 checkpoints|No checkpoint found/u);
    const ended = facts.has(
      /application status UNKNOWN|to SUSPENDED|switched from state \w+ to SUSPENDED/u,
    );
    if (!cleaned && !(empty && ended)) return undefined;
    return finding(
      facts,
      "ha-data-cleaned-on-zk-suspend",
      cleaned && (empty || ended) ? 0.95 : 0.85,
      best.match,
      {},
      options(
        facts,
        ["high-availability.zookeeper.client.tolerate-suspended-connections", "true"],
        "execution.state-recovery.path",
        "high-availability.zookeeper.client.session-timeout",
      ),
    );
  },
};
