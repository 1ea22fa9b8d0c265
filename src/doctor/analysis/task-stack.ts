import type { ThreadStack } from "../evidence/evidence.ts";
import { isUserFrame } from "./user-frames.ts";

/**
 * What keeps a task thread busy.
 *
 * - `async-queue`: the queue of an asynchronous operator is full.
 * - `lock-wait`: it waits for the checkpoint lock, which another thread holds.
 * - `lock-holder`: a legacy source emits while it holds that lock.
 * - `backpressured`: it waits for an output buffer: a victim of what comes after it.
 * - `snapshot-native`: RocksDB's native code within the snapshot.
 * - `sink-flush`: a connector flushes within the snapshot, or before the barrier.
 * - `snapshot-user`: the user's own snapshot method.
 * - `user-call`: the user's own code while it processes an element.
 * - `idle`: nothing to do.
 */
export type StackKind =
  | "async-queue"
  | "lock-wait"
  | "lock-holder"
  | "backpressured"
  | "snapshot-native"
  | "sink-flush"
  | "snapshot-user"
  | "user-call"
  | "idle"
  | "other";

export interface ClassifiedStack {
  readonly stack: ThreadStack;
  readonly kind: StackKind;
  /** The frame that shows it. */
  readonly frame: string;
  /** True if the thread waits in a call that may never return: a socket, a lock, a future. */
  readonly waitsOutside: boolean;
}

const SNAPSHOT =
  /(?:\.(?:snapshotState|prepareSnapshotPreBarrier|preSnapshot|prepareCommit|preCommit|performCheckpoint|checkpointState|takeSnapshotSync|checkpointStreamOperator)|CheckpointingOperation\.\w+)$/u;
const FLUSH =
  /\.(?:flush|flushAll|doFlush|prepareCommit|preCommit|prepareSnapshotPreBarrier|yieldIfThereExistsInFlightRequests|waitForPendingRequests|waitPending|stopLoad|awaitPending\w*|checkpointing|commitAllWriters|invokeAndFlush|attemptFlush|snapshotState)$/u;
const BUFFER_WAIT =
  /LocalBufferPool\.(?:requestMemorySegmentBlocking|requestMemorySegment|requestBufferBuilderBlocking)|BufferWritingResultPartition\.requestNewBufferBuilderFromPool/u;
const WAITING_TOP =
  /^(?:java\.net\.(?:SocketInputStream|Socket\w*)|sun\.nio\.ch|java\.lang\.Thread\.sleep|java\.lang\.Object\.wait|jdk\.internal\.misc\.Unsafe\.park|sun\.misc\.Unsafe\.park|java\.util\.concurrent\.locks|java\.io\.FileInputStream\.read|sun\.security\.ssl|java\.util\.concurrent\.(?:CompletableFuture|FutureTask|CountDownLatch)|java\.nio|sun\.nio)/u;
const USER_ENTRY =
  /\.(?:processElement\d?|flatMap|map|filter|invoke|onTimer|onEventTime|onProcessingTime|reduce|process|apply|join|asyncInvoke|write|collect|accept|processBroadcastElement|run|pollNext|open|aggregate|add|getResult|emitWindowContents|close)$/u;

/** Says what a thread does, from the innermost frame that decides it. */
export function classifyStack(stack: ThreadStack): ClassifiedStack {
  const frames = stack.frames.map((frame) => frame.method);
  const any = (pattern: RegExp): string | undefined => frames.find((frame) => pattern.test(frame));
  const waitsOutside =
    frames.slice(0, 4).some((frame) => WAITING_TOP.test(frame)) || stack.state === "BLOCKED";
  const of = (kind: StackKind, frame: string | undefined): ClassifiedStack => ({
    stack,
    kind,
    frame: frame ?? frames[0] ?? "",
    waitsOutside,
  });

  const buffer = any(BUFFER_WAIT);
  if (buffer !== undefined) return of("backpressured", buffer);
  const asyncQueue = any(
    /Async(?:Wait|KeyedWait)Operator\.(?:addToWorkQueue|waitInFlightInputsFinished)|UnorderedStreamElementQueue|OrderedStreamElementQueue|AsyncSinkWriter\.(?:blockIfMax|write)/u,
  );
  if (asyncQueue !== undefined && /Async\w*WaitOperator/u.test(asyncQueue))
    return of("async-queue", asyncQueue);
  if (/Legacy Source Thread/u.test(stack.thread) && stack.locked.length > 0) {
    return of(
      "lock-holder",
      frames.find((frame) => isUserFrame(frame)) ?? any(/Debezium|cdc|SourceFunction|\.run$/u),
    );
  }
  const lock = any(/SynchronizedStreamTaskActionExecutor\./u);
  if (lock !== undefined && stack.state === "BLOCKED") return of("lock-wait", lock);
  const snapshot = frames.findIndex((frame) => SNAPSHOT.test(frame));
  if (snapshot >= 0) return of(...classifySnapshot(frames, snapshot));
  if (
    any(
      /MailboxProcessor\.processMailsWhenDefaultActionUnavailable|MailboxProcessor\.(?:waitForAvailableInput|runMailboxStep)/u,
    ) !== undefined &&
    any(/TaskMailboxImpl\.take/u) !== undefined &&
    !frames.some((frame) => isUserFrame(frame))
  ) {
    return of("idle", undefined);
  }
  const user = frames.find((frame) => isUserFrame(frame));
  const entry = frames.find((frame) => isUserFrame(frame) && USER_ENTRY.test(frame));
  if (entry !== undefined || user !== undefined) return of("user-call", entry ?? user);
  return of("other", undefined);
}

function classifySnapshot(frames: readonly string[], snapshot: number): [StackKind, string] {
  const inner = frames.slice(0, snapshot + 1);
  const native = inner.find((frame) => frame.startsWith("org.rocksdb."));
  if (native !== undefined) return ["snapshot-native", native];
  const user = inner.find((frame) => isUserFrame(frame));
  if (user !== undefined)
    return [
      "snapshot-user",
      inner.find((frame) => isUserFrame(frame) && SNAPSHOT.test(frame)) ?? user,
    ];
  const flush = inner.find((frame) => FLUSH.test(frame) && !/^(?:java|sun|jdk)\./u.test(frame));
  return flush === undefined ? ["other", frames[snapshot] ?? ""] : ["sink-flush", flush];
}
