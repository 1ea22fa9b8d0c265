import { type Configuration, type Duration, durationMs } from "../base/index.ts";
import { collectionSource, type GeneratorOptions, generatorSource } from "../connectors/index.ts";
import type { Source, SourceSplit, WatermarkStrategy } from "../operators/index.ts";
import { Types, type TypeSerializer } from "../serde/index.ts";
import { DataStreamSource } from "./data-stream.ts";
import type { JobBuilder } from "./job-builder.ts";
import { requireParallelism } from "./operator-settings.ts";

export type CheckpointingMode = "EXACTLY_ONCE" | "AT_LEAST_ONCE";

/** Where a job begins: makes its first streams, and settings for the whole of it. What files and flags set is stronger. */
export class StreamExecutionEnvironment {
  private readonly builder: JobBuilder;

  /** @internal */
  constructor(builder: JobBuilder) {
    this.builder = builder;
  }

  /** All settings that were given, and those that the job has made so far, under Flink's keys. */
  get configuration(): Configuration {
    return this.builder.configuration;
  }

  /**
   * Settings under Flink's keys.
   *
   * @example
   * ```ts
   * env.configure({ "execution.checkpointing.timeout": "2 min", "restart-strategy.type": "exponential-delay" });
   * ```
   */
  configure(settings: Readonly<Record<string, string | number | boolean>>): this {
    for (const [key, value] of Object.entries(settings)) this.builder.set(key, String(value));
    return this;
  }

  /** How many subtasks those operators have that are made from here on and set nothing themselves. */
  get parallelism(): number {
    return Math.max(1, this.builder.options.parallelism);
  }

  /**
   * `parallelism.default`, for the operators that are made after this call.
   *
   * @throws StreamError PARAMETER_INVALID if it is no whole number from 1 to 32768.
   */
  setParallelism(parallelism: number): this {
    requireParallelism("setParallelism", parallelism);
    return this.configure({ "parallelism.default": parallelism });
  }

  /**
   * `pipeline.max-parallelism`: the key groups of every operator that sets nothing itself. Existing state fixes it.
   *
   * @throws StreamError PARAMETER_INVALID if it is no whole number from 1 to 32768.
   */
  setMaxParallelism(maxParallelism: number): this {
    requireParallelism("setMaxParallelism", maxParallelism);
    return this.configure({ "pipeline.max-parallelism": maxParallelism });
  }

  /** Gives every operator a task of its own. Changes the ids of operators without a uid. */
  disableOperatorChaining(): this {
    return this.configure({ "pipeline.operator-chaining.enabled": false });
  }

  /**
   * Takes a checkpoint after each interval.
   *
   * @param interval - Text such as `"10 s"`, or milliseconds.
   * @throws StreamError PARAMETER_INVALID if it is no time of at least 10 ms.
   */
  enableCheckpointing(interval: Duration, mode: CheckpointingMode = "EXACTLY_ONCE"): this {
    const intervalMs = durationMs(interval, "enableCheckpointing", 10);
    return this.configure({
      "execution.checkpointing.interval": `${intervalMs} ms`,
      "execution.checkpointing.mode": mode,
    });
  }

  /**
   * The records of a source.
   *
   * @param watermarks - Gives them their event time; without it they have what the source gives, and no watermark but the last.
   * @param name - Instead of the source's own name.
   *
   * @example
   * ```ts
   * env.fromSource(
   *   fileSource("flights/*.ndjson", ndjson(Flight)),
   *   WatermarkStrategy.forBoundedOutOfOrderness("5 min").withTimestampAssigner((flight) => flight.departure),
   * );
   * ```
   */
  fromSource<T, S extends SourceSplit, E>(
    source: Source<T, S, E>,
    watermarks?: WatermarkStrategy<NoInfer<T>>,
    name: string = source.name,
  ): DataStreamSource<T> {
    const transformation = this.builder.addSource(
      source as unknown as Source<unknown, SourceSplit, unknown>,
      watermarks as WatermarkStrategy<unknown> | undefined,
      `Source: ${name}`,
    );
    return new DataStreamSource<T>(this.builder, transformation);
  }

  /** The given records, in order, from one subtask. */
  fromCollection<T>(records: readonly T[], type?: TypeSerializer<T>): DataStreamSource<T> {
    return this.fromSource(collectionSource(records, type)).setParallelism(1);
  }

  /** The given records, in order, from one subtask. */
  fromData<T>(...records: readonly T[]): DataStreamSource<T> {
    return this.fromCollection(records);
  }

  /** The whole numbers from `first` to `last`, both included, spread over the subtasks. */
  fromSequence(first: number, last: number): DataStreamSource<number> {
    return this.fromGenerator((index) => first + index, {
      count: Math.max(0, last - first + 1),
      type: Types.long(),
    });
  }

  /** Records made from their number: 0, 1, 2 … */
  fromGenerator<T>(
    generate: (index: number) => T,
    options: GeneratorOptions<T> = {},
  ): DataStreamSource<T> {
    return this.fromSource(generatorSource(generate, options));
  }
}
