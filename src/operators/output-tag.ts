import type { TypeSerializer } from "../serde/index.ts";

/** Names a side output and the type of its records. */
export interface OutputTag<T> {
  readonly id: string;
  readonly type: TypeSerializer<T> | undefined;
}

/** Makes an {@link OutputTag}. Two tags with one id are the same side output. */
export function outputTag<T>(id: string, type?: TypeSerializer<T>): OutputTag<T> {
  return { id, type };
}
