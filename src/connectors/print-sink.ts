import type { Sink } from "../operators/index.ts";

export interface PrintOptions {
  /** Takes each line, without its line break. Initially standard output. */
  readonly writeLine?: (line: string) => void;
}

const PRINT_SINK_NAME = "Print to Std. Out";

/** True of a sink that only prints. */
export function isPrintSink(sink: Sink<unknown, unknown, unknown>): boolean {
  return sink.name === PRINT_SINK_NAME && sink.committableSerializer === undefined;
}

/**
 * Prints records: `2> record`, with the number of the subtask (from 1) where there are several, as Flink's `print()`.
 *
 * @remarks
 * At least once: what was printed before a failure may be printed again.
 */
export function printSink<IN>(prefix = "", options: PrintOptions = {}): Sink<IN> {
  const writeLine = options.writeLine ?? ((line: string) => void process.stdout.write(`${line}\n`));
  return {
    name: PRINT_SINK_NAME,
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter({ subtaskIndex, parallelism }) {
      const number = parallelism > 1 ? `${subtaskIndex + 1}` : "";
      const label = [prefix, number].filter((part) => part !== "").join(":");
      const lead = label === "" ? "" : `${label}> `;
      return {
        write: (record) => writeLine(`${lead}${textOfPrinted(record)}`),
        prepareCommit: () => ({ committables: [], durable: undefined }),
        close() {},
      };
    },
  };
}

/** A record as it is printed. */
export function textOfPrinted(record: unknown): string {
  if (typeof record !== "object" || record === null) return String(record);
  return JSON.stringify(record, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}
