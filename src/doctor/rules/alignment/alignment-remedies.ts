import type { Facts } from "../../analysis/facts.ts";
import { durationText } from "../../analysis/quantities.ts";
import { expiryOf } from "../../analysis/expiry.ts";
import { options, type Remedy } from "../rule.ts";

/** What helps barriers through data that queues: nothing of it makes the slow operator faster. */
export function alignmentRemedies(facts: Facts): readonly Remedy[] {
  const timeoutMs = facts.timeoutMs ?? 600_000;
  const seenMs = Math.max(expiryOf(facts).latestAckMs ?? 0, expiryOf(facts).slowest?.ms ?? 0);
  const proposedMs = Math.max(timeoutMs * 2, seenMs * 2);
  return options(
    facts,
    ["execution.checkpointing.unaligned.enabled", "true"],
    ["execution.checkpointing.aligned-checkpoint-timeout", "30 s"],
    ["taskmanager.network.memory.buffer-debloat.enabled", "true"],
    ["execution.checkpointing.timeout", durationText(proposedMs)],
    "execution.checkpointing.tolerable-failed-checkpoints",
  );
}
