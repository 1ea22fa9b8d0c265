import type { PhysicalTransformation } from "../graph/index.ts";
import {
  disableChaining,
  setMaxParallelism,
  setName,
  setParallelism,
  setSlotSharingGroup,
  setUid,
  setUidHash,
} from "./operator-settings.ts";

/** The end of a stream. */
export class DataStreamSink {
  private readonly transformation: PhysicalTransformation;

  /** @internal */
  constructor(transformation: PhysicalTransformation) {
    this.transformation = transformation;
  }

  /**
   * Names the sink's state for good: what was prepared but not committed goes to the sink of the same uid.
   *
   * @throws StreamError PARAMETER_INVALID if it is empty.
   */
  uid(uid: string): this {
    setUid(this.transformation, uid);
    return this;
  }

  /** Looks for restored state under this operator id first: 32 hexadecimal digits. */
  setUidHash(uidHash: string): this {
    setUidHash(this.transformation, uidHash);
    return this;
  }

  /** Names the sink for people. */
  name(name: string): this {
    setName(this.transformation, `Sink: ${name}`);
    return this;
  }

  /** How many subtasks the sink has, from 1 to 32768. */
  setParallelism(parallelism: number): this {
    setParallelism(this.transformation, parallelism);
    return this;
  }

  /** How many key groups the sink has at most. */
  setMaxParallelism(maxParallelism: number): this {
    setMaxParallelism(this.transformation, maxParallelism);
    return this;
  }

  /** Operators of different groups are never in one task. */
  slotSharingGroup(group: string): this {
    setSlotSharingGroup(this.transformation, group);
    return this;
  }

  /** Gives the sink a task of its own. */
  disableChaining(): this {
    disableChaining(this.transformation);
    return this;
  }
}
