import type { OutputTag } from "../../operators/index.ts";

/** What a record that could not be read becomes in a side output. */
export interface BadRecord {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly problem: string;
  /** The text of the record, at most 1,000 characters. */
  readonly text: string;
}

/** What to do with what cannot be read: fail the job, leave it out and count it, or send it elsewhere. */
export type BadRecordPolicy = "fail" | "skip" | { readonly sideOutput: OutputTag<BadRecord> };
