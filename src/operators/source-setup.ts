import type { Source, SourceSplit } from "./source.ts";
import type { WatermarkStrategy } from "./watermark/watermark-strategy.ts";

/** What a source's operator is made of, and whom it can speak to. */
export interface SourceSetup<T, S extends SourceSplit> {
  readonly source: Source<T, S>;
  readonly watermarks: WatermarkStrategy<T> | undefined;
  /** Asks the enumerator for a split for this reader. */
  readonly sendSplitRequest: () => void;
  /** Tells the JobManager how far the reader is, for those of its alignment group; `MAX_TIMESTAMP`: it waits for nobody. */
  readonly reportWatermark: (watermark: number) => void;
  /** Whether all splits may be read on where the reader cannot hold back one alone. */
  readonly allowsUnalignedSplits: boolean;
  /** The instance of the reader's module that this source has for itself. */
  readonly ownReader?: unknown;
}
