import { options, type Rule, signature } from "../rule.ts";

/** Flink fails at restoring in-flight data. */
export const unalignedRestoreBug: Rule = signature({
  code: "unaligned-restore-bug",
  clues: [
    {
      text: /Cannot get old subtasks from a descriptor that represents no state/u,
      confidence: 0.98,
    },
    {
      text: /Cannot (?:rescale|recover|select) .*(?:unaligned checkpoint|in-flight|channel state)|Cannot rescale the given pointwise partitioner/u,
      confidence: 0.85,
    },
    {
      text: /.+/u,
      frame:
        /(?:RescalingStreamTaskNetworkInput|DemultiplexingRecordDeserializer|InflightDataRescalingDescriptor|ChannelStateChunkReader|SequentialChannelStateReader|RecoveredInputChannel|RecoveredChannelStateHandler)\./u,
      roles: ["restore", "task", "job", "report"],
      confidence: 0.82,
    },
  ],
  remediesOf(facts) {
    const restored = facts.evidence.events
      .map((event) => /from Checkpoint (\d+) @/u.exec(event.message)?.[1])
      .findLast((id) => id !== undefined);
    return options(
      facts,
      ["execution.state-recovery.without-channel-state.checkpoint-id", restored],
      ["execution.checkpointing.unaligned.enabled", "false"],
    );
  },
});
