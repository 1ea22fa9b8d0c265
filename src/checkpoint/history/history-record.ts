import type { CheckpointRecord } from "../checkpoint-record.ts";

/** Name of the file in the job's directory that holds a line for each checkpoint that ended. */
export const HISTORY_FILE_NAME = "history.jsonl";

/** What a history file holds. */
export interface CheckpointHistory {
  /** One for each checkpoint, in the order in which they ended; a later line about the same one replaces the earlier. */
  readonly records: readonly CheckpointRecord[];
  /** Lines that are no record of a format that is known, by number from 1. A last line that was cut short is not among them. */
  readonly unreadableLines: readonly number[];
}

/** The line of a record, with its line feed. */
export function encodeRecord(record: CheckpointRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/**
 * Reads a history file. Never fails: a line that cannot be read is passed over and numbered.
 *
 * @remarks
 * A process that dies while it writes leaves a last line without its end; what of it is there is dropped.
 */
export function decodeHistory(text: string): CheckpointHistory {
  const lines = text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);
  const records = new Map<string, CheckpointRecord>();
  const unreadableLines: number[] = [];
  for (const [index, line] of lines.entries()) {
    const record = decodeRecord(line);
    if (record === undefined) {
      unreadableLines.push(index + 1);
      continue;
    }
    const key = `${record.jobId}/${record.checkpointId}/${record.triggeredAtMs}`;
    records.set(key, record);
  }
  return { records: [...records.values()], unreadableLines };
}

function decodeRecord(line: string): CheckpointRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isRecord(value) ? withInputs(value) : undefined;
}

/** The edges of a vertex came later than the rest: a line without them says that they are not known. */
function withInputs(record: CheckpointRecord): CheckpointRecord {
  if (record.vertices.every(({ inputs }) => Array.isArray(inputs))) return record;
  const vertices = record.vertices.map((vertex) => ({ ...vertex, inputs: vertex.inputs ?? null }));
  return { ...record, vertices };
}

/** The fields by which a record is told from something else; the writer has written the others with them. */
function isRecord(value: unknown): value is CheckpointRecord {
  if (typeof value !== "object" || value === null) return false;
  const { format, jobId, checkpointId, status, triggeredAtMs, vertices } = value as Partial<
    Record<keyof CheckpointRecord, unknown>
  >;
  return (
    format === 1 &&
    typeof jobId === "string" &&
    Number.isSafeInteger(checkpointId) &&
    (status === "COMPLETED" || status === "FAILED" || status === "IN_PROGRESS") &&
    typeof triggeredAtMs === "number" &&
    Array.isArray(vertices)
  );
}
