import { ByteWriter } from "../base/index.ts";
import type { Output, WatermarkStatus } from "../operators/index.ts";
import { beginRecord, type EncodedEntries, endRecord, writeEntry } from "../stage/index.ts";
import type { StageOutput } from "./stage-program.ts";

/** Outputs above this size are sent before the entry that makes them is done. */
const LARGE_OUTPUT_BYTES = 65_536;

/** What a stage emits, as entries, until it is sent. */
export class StageOutputs {
  readonly #outputs: readonly StageOutput[];
  readonly #onLarge: () => void;
  readonly #bytes: ByteWriter = new ByteWriter(4096);
  #count = 0;

  /** @param onLarge - Called in the middle of an entry: what is there is to be taken. */
  constructor(outputs: readonly StageOutput[], onLarge: () => void) {
    this.#outputs = outputs;
    this.#onLarge = onLarge;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The end of the chain. */
  main(): Output<unknown> {
    return {
      processElement: (value, timestamp) => this.#record(0, value, timestamp),
      processWatermark: (watermark) => this.#control({ kind: "watermark", watermark }),
      processWatermarkStatus: (status: WatermarkStatus) =>
        this.#control({ kind: status === "IDLE" ? "idle" : "active" }),
    };
  }

  /** Records to a tag that nobody reads are dropped. Watermarks go out once, with the main output's. */
  side(tag: string): Output<unknown> {
    const port = this.#outputs.findIndex((output) => output.tag === tag);
    return {
      processElement: (value, timestamp) => {
        if (port >= 0) this.#record(port, value, timestamp);
      },
      processWatermark() {},
      processWatermarkStatus() {},
    };
  }

  /** Hands out what there is. Valid until the next is emitted. */
  take(): EncodedEntries {
    const taken = { count: this.#count, bytes: this.#bytes.view() };
    this.#count = 0;
    this.#bytes.reset();
    return taken;
  }

  #record(port: number, value: unknown, timestamp: number): void {
    const start = this.#bytes.length;
    try {
      const at = beginRecord(this.#bytes, port, timestamp, undefined);
      this.#outputs[port]?.type.write(value, this.#bytes);
      endRecord(this.#bytes, at);
    } catch (error) {
      this.#bytes.truncate(start);
      throw error;
    }
    this.#count++;
    if (this.#bytes.length > LARGE_OUTPUT_BYTES) this.#onLarge();
  }

  #control(entry: Parameters<typeof writeEntry>[0]): void {
    writeEntry(entry, this.#bytes);
    this.#count++;
  }
}
