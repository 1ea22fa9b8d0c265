import type { StateMetaInfo } from "../state-meta-info.ts";

/** The entries of one state in one key group, still as bytes. */
export interface RestoredSection {
  readonly keyGroup: number;
  readonly entryCount: number;
  readonly bytes: Uint8Array;
  /** Where `bytes` begins in its file. */
  readonly positionBytes: number;
}

/** A state as it came from snapshots, before the job has declared it. */
export interface RestoredState {
  readonly meta: StateMetaInfo;
  readonly sections: RestoredSection[];
}
