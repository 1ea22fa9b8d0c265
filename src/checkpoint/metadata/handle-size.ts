import { unreachable } from "../../base/index.ts";
import type {
  ChannelStateHandle,
  KeyedStateHandle,
  OperatorStateHandle,
  StreamStateHandle,
} from "../../state/index.ts";

/** Bytes behind a stream state handle, as the handle says. Source: Flink `StateObject.getStateSize`. */
export function streamSizeBytes(handle: StreamStateHandle): number {
  switch (handle.kind) {
    case "bytes":
      return handle.data.length;
    case "file":
    case "relative-file":
    case "segment":
      return handle.sizeBytes;
    case "empty-segment":
      return 0;
    case "key-groups":
      return streamSizeBytes(handle.handle.stream);
    default:
      return unreachable(handle);
  }
}

/** Bytes behind a keyed state handle, files shared with other checkpoints included. */
export function keyedSizeBytes(handle: KeyedStateHandle): number {
  switch (handle.kind) {
    case "key-groups":
      return streamSizeBytes(handle.stream);
    case "incremental":
      return sum(
        [handle.meta, ...handle.shared.values(), ...handle.private.values()],
        streamSizeBytes,
      );
    case "changelog":
      return sum([...handle.materialized, ...handle.delta], keyedSizeBytes);
    case "changelog-memory":
      return sum(handle.changes, ({ change }) => change.length);
    case "changelog-files":
      return handle.sizeBytes;
    default:
      return unreachable(handle);
  }
}

/** Bytes behind an operator state handle. */
export function operatorStateSizeBytes(handle: OperatorStateHandle): number {
  return streamSizeBytes(handle.stream);
}

/** Bytes of in-flight data that a channel state handle stands for. */
export function channelSizeBytes(handle: ChannelStateHandle): number {
  return handle.kind === "single" ? handle.channel.sizeBytes : handle.sizeBytes;
}

/** The sum of a size over a list. */
export function sum<T>(list: readonly T[], size: (element: T) => number): number {
  let total = 0;
  for (const element of list) total += size(element);
  return total;
}
