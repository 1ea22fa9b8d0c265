import type { CheckpointBarrier } from "../checkpoint-barrier.ts";

/**
 * The barrier as it goes through a channel in which nothing may be overtaken.
 *
 * Source: Flink `CheckpointOptions.withUnalignedUnsupported`.
 */
export function withoutOvertaking(barrier: CheckpointBarrier): CheckpointBarrier {
  const { options } = barrier;
  const mayOvertake =
    options.alignment === "UNALIGNED" ||
    (options.alignment === "ALIGNED" && options.alignedTimeoutMs !== undefined);
  return mayOvertake
    ? { ...barrier, options: { ...options, alignment: "FORCED_ALIGNED" } }
    : barrier;
}

/**
 * The barrier as a task sends it on, whatever the channels were through which it came.
 *
 * Source: Flink `CheckpointOptions.withUnalignedSupported`.
 */
export function withOvertaking(barrier: CheckpointBarrier): CheckpointBarrier {
  const { options } = barrier;
  if (options.alignment !== "FORCED_ALIGNED") return barrier;
  const alignment = options.alignedTimeoutMs === undefined ? "UNALIGNED" : "ALIGNED";
  return { ...barrier, options: { ...options, alignment } };
}

/** The barrier as it overtakes, also if it had begun aligned. */
export function asUnaligned(barrier: CheckpointBarrier): CheckpointBarrier {
  if (barrier.options.alignment === "UNALIGNED") return barrier;
  const options = {
    ...barrier.options,
    alignment: "UNALIGNED",
    alignedTimeoutMs: undefined,
  } as const;
  return { ...barrier, options };
}
