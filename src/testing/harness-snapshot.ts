import type {
  KeyedStateBackend,
  OperatorStateBackend,
  OperatorStateHandle,
} from "../state/index.ts";

/** What all subtasks left in a snapshot. */
export interface HarnessSnapshot {
  readonly checkpointId: number;
  readonly maxParallelism: number;
  readonly subtasks: readonly SubtaskSnapshot[];
}

/** What one subtask left. */
export interface SubtaskSnapshot {
  readonly keyed:
    | {
        readonly range: { readonly first: number; readonly last: number };
        readonly offsets: readonly number[];
        readonly bytes: Uint8Array;
      }
    | undefined;
  readonly operator: OperatorStateHandle | undefined;
}

/** Keyed state as bytes. */
export function keyedBytes(
  keyed: KeyedStateBackend,
  checkpointId: number,
): SubtaskSnapshot["keyed"] {
  const snapshot = keyed.snapshot(checkpointId);
  while (!snapshot.advance(1000));
  const { range, offsets, chunks } = snapshot.result();
  return { range, offsets, bytes: Buffer.concat(chunks) };
}

/** Operator state as a handle that holds its bytes. */
export function operatorHandle(state: OperatorStateBackend): OperatorStateHandle | undefined {
  const snapshot = state.snapshot();
  if (snapshot === undefined) return undefined;
  const { states, bytes } = snapshot;
  return {
    states,
    stream: { kind: "bytes", name: "operator-state", data: bytes },
    merged: undefined,
  };
}
