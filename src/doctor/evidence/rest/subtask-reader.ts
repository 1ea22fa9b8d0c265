import type { RestSubtask } from "../evidence.ts";
import { amount, type Fields, fieldsOf, number } from "./json-fields.ts";

/** If no subtask has times of its own, the greatest of the summary stand for one. */
export function withSummary(
  subtasks: readonly RestSubtask[],
  fields: Fields,
): readonly RestSubtask[] {
  const summary = fieldsOf(fields["summary"]);
  if (summary === undefined || subtasks.some((subtask) => subtask.completed)) return subtasks;
  const greatest = (value: unknown): number | undefined => amount(fieldsOf(value)?.["max"]);
  const durations = fieldsOf(summary["checkpoint_duration"]);
  const alignment = fieldsOf(summary["alignment"]);
  const one: RestSubtask = {
    index: 0,
    completed: true,
    durationMs: greatest(summary["end_to_end_duration"]),
    stateBytes: greatest(summary["state_size"]),
    syncMs: greatest(durations?.["sync"]),
    asyncMs: greatest(durations?.["async"]),
    alignmentMs: greatest(alignment?.["duration"]),
    persistedBytes: greatest(alignment?.["persisted"]),
    startDelayMs: greatest(summary["start_delay"]),
    unaligned: undefined,
  };
  const known = [one.syncMs, one.asyncMs, one.alignmentMs, one.startDelayMs].some(
    (ms) => (ms ?? 0) > 0,
  );
  return known ? [...subtasks, one] : subtasks;
}

/** One subtask of the answer about a vertex's part in a checkpoint. */
export function readSubtask(fields: Fields): RestSubtask {
  const checkpoint = fieldsOf(fields["checkpoint"]) ?? {};
  const alignment = fieldsOf(fields["alignment"]) ?? {};
  return {
    index: number(fields["index"]) ?? 0,
    completed: fields["status"] === "completed" || fields["className"] === "completed",
    durationMs: amount(fields["end_to_end_duration"]),
    stateBytes: amount(fields["state_size"]),
    syncMs: amount(checkpoint["sync"]),
    asyncMs: amount(checkpoint["async"]),
    alignmentMs: amount(alignment["duration"]),
    persistedBytes: amount(alignment["persisted"]),
    startDelayMs: amount(fields["start_delay"]),
    unaligned:
      typeof fields["unaligned_checkpoint"] === "boolean"
        ? fields["unaligned_checkpoint"]
        : undefined,
  };
}
