import { StreamError } from "../../base/index.ts";
import type { JobEdge, Partitioner } from "../../graph/index.ts";
import type { WatermarkStatus } from "../../operators/index.ts";
import { locatedError, type TypeSerializer } from "../../serde/index.ts";
import { freezeDeeply, throughBytes } from "../../state/index.ts";
import type { RecordOutput } from "./record-output.ts";
import type { ControlElement } from "./stream-element.ts";

/** How an edge is cut where records are to cross it as bytes. */
export interface EdgeCut {
  readonly partitioner: Partitioner;
  readonly wrap: (output: RecordOutput) => RecordOutput;
}

/** @param name - Of the edge: `parse to count`. Out of portable mode nothing is cut. */
export function edgeCut(
  isPortable: boolean,
  { partitioner, type }: JobEdge,
  name: string,
): EdgeCut {
  if (!isPortable) return { partitioner, wrap: (output) => output };
  return {
    partitioner: portablePartitioner(partitioner),
    wrap: (output) => new PortableOutput(output, type, name),
  };
}

/**
 * An output in portable mode: what goes downstream is what would arrive in another process, and what was emitted is frozen.
 *
 * @remarks
 * Stands before batches, channels and the direct call alike, so that all of them carry copies.
 */
class PortableOutput implements RecordOutput {
  readonly #output: RecordOutput;
  readonly #type: TypeSerializer<unknown>;
  readonly #edge: string;
  readonly #refuse: (path: string) => Error;

  /** @param edge - Names the operator and who it sends to: `parse to count`. */
  constructor(output: RecordOutput, type: TypeSerializer<unknown>, edge: string) {
    this.#output = output;
    this.#type = type;
    this.#edge = edge;
    this.#refuse = (path) => new StreamError("EMITTED_RECORD_CHANGED", { edge, path });
  }

  get recordCount(): number {
    return this.#output.recordCount;
  }

  /** @throws StreamError VALUE_NOT_SERIALIZABLE naming the edge. */
  processElement(value: unknown, timestamp: number): void {
    let copy: unknown;
    try {
      copy = throughBytes(this.#type, value);
    } catch (error) {
      throw locatedError(error, `the edge from ${this.#edge}`);
    }
    freezeDeeply(value, this.#refuse);
    this.#output.processElement(copy, timestamp);
  }

  processWatermark(watermark: number): void {
    this.#output.processWatermark(watermark);
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    this.#output.processWatermarkStatus(status);
  }

  flush(): boolean {
    return this.#output.flush();
  }

  broadcast(element: ControlElement): void {
    this.#output.broadcast(element);
  }
}

/** The same partitioner with keys that are copies: a key may be a part of its record. */
function portablePartitioner(partitioner: Partitioner): Partitioner {
  if (partitioner.kind !== "hash") return partitioner;
  const { keySelector, keyType } = partitioner;
  return { ...partitioner, keySelector: (value) => copiedKey(keySelector(value), keyType) };
}

/** What is no key at all is left to the output to refuse. */
function copiedKey(key: unknown, keyType: TypeSerializer<unknown>): unknown {
  return typeof key === "object" && key !== null ? throughBytes(keyType, key) : key;
}
