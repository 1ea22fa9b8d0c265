import { amount, type Fields, fieldsOf, listOf, number, text } from "./json-fields.ts";
import { readSubtask, withSummary } from "./subtask-reader.ts";
import type { EvidenceBuilder } from "../evidence-builder.ts";
import type { Place, RestCheckpoint, RestVertex } from "../evidence.ts";

const MAX_DEPTH = 8;

/**
 * Takes what it knows from an answer of Flink's REST interface, recognised by its members.
 *
 * @remarks
 * Looks into wrappers (a list of requests with bodies, an object by path), since answers are saved in many ways.
 * Texts that hold stack traces go back through `readText`, so that they count like log lines.
 */
export class RestReader {
  readonly #builder: EvidenceBuilder;
  readonly #readText: (text: string, place: Place, atMs: number | undefined) => void;
  readonly #place: Place;
  readonly #vertexId: string | undefined;

  constructor(
    builder: EvidenceBuilder,
    place: Place,
    vertexId: string | undefined,
    readText: (text: string, place: Place, atMs: number | undefined) => void,
  ) {
    this.#builder = builder;
    this.#place = place;
    this.#vertexId = vertexId;
    this.#readText = readText;
  }

  /** True if anything was recognised. */
  read(value: unknown, depth = 0): boolean {
    if (depth > MAX_DEPTH) return false;
    if (Array.isArray(value)) return this.#readList(value, depth);
    const fields = fieldsOf(value);
    if (fields === undefined) return false;
    const known = this.#readKnown(fields, depth);
    if (known) return true;
    let any = false;
    for (const [name, member] of Object.entries(fields)) {
      const vertexId = /([0-9a-f]{32})/u.exec(name)?.[1];
      const reader =
        vertexId === undefined
          ? this
          : new RestReader(this.#builder, this.#place, vertexId, this.#readText);
      any = reader.read(member, depth + 1) || any;
    }
    return any;
  }

  #readList(values: readonly unknown[], depth: number): boolean {
    let any = false;
    for (const value of values) {
      const fields = fieldsOf(value);
      if (
        fields !== undefined &&
        typeof fields["key"] === "string" &&
        typeof fields["value"] === "string"
      ) {
        this.#builder.setting({
          key: fields["key"],
          value: fields["value"],
          place: this.#place,
          origin: "rest",
        });
        any = true;
      } else if (fields !== undefined && typeof fields["id"] === "string" && "value" in fields) {
        this.#builder.rest.metrics.push({
          id: fields["id"],
          value: String(fields["value"]),
          place: this.#place,
        });
        any = true;
      } else any = this.read(value, depth + 1) || any;
    }
    return any;
  }

  #readKnown(fields: Fields, depth: number): boolean {
    if ("flink-version" in fields) this.#readOverview(fields);
    else if ("threadInfos" in fields) this.#readThreads(fields);
    else if ("root-exception" in fields || "exceptionHistory" in fields)
      this.#readExceptions(fields);
    else if ("externalization" in fields || ("min_pause" in fields && "timeout" in fields))
      this.#readConfig(fields);
    else if (
      "counts" in fields &&
      ("history" in fields ||
        "latest" in fields ||
        fieldsOf(fields["counts"])?.["completed"] !== undefined)
    ) {
      this.#readCheckpoints(fields);
    } else if (typeof fields["id"] === "number" && Array.isArray(fields["subtasks"]))
      this.#readSubtasks(fields);
    else if (typeof fields["id"] === "number" && typeof fields["status"] === "string")
      this.#readCheckpoint(fields);
    else if (Array.isArray(fields["vertices"]) && ("jid" in fields || "state" in fields))
      this.#readJob(fields);
    else if (Array.isArray(fields["jobs"])) this.#readJobs(fields);
    else if (Array.isArray(fields["taskmanagers"]))
      this.#builder.rest.taskManagers = fields["taskmanagers"].length;
    else if (
      ("backpressureLevel" in fields || "backpressure-level" in fields) &&
      Array.isArray(fields["subtasks"])
    ) {
      this.#readBackpressure(fields);
    } else if (fieldsOf(fields["status"])?.["id"] !== undefined) this.#readSavepoint(fields);
    else if (Array.isArray(fields["errors"])) this.#readErrors(fields);
    else return false;
    void depth;
    return true;
  }

  #readOverview(fields: Fields): void {
    this.#builder.rest.flinkVersion ??= text(fields["flink-version"]);
    const managers = number(fields["taskmanagers"]);
    if (managers !== undefined) this.#builder.rest.taskManagers = managers;
  }

  #readThreads(fields: Fields): void {
    for (const info of listOf(fields["threadInfos"])) {
      const dump = text(fieldsOf(info)?.["stringifiedThreadInfo"]);
      if (dump !== undefined) this.#readText(dump, this.#place, undefined);
    }
  }

  #readExceptions(fields: Fields): void {
    const root = text(fields["root-exception"]);
    if (root !== undefined) this.#readText(root, this.#place, number(fields["timestamp"]));
    for (const entry of listOf(fields["all-exceptions"])) {
      const found = fieldsOf(entry);
      const trace = text(found?.["exception"]);
      if (trace !== undefined && trace !== root)
        this.#readText(trace, this.#place, number(found?.["timestamp"]));
    }
    const history = fieldsOf(fields["exceptionHistory"]);
    for (const entry of listOf(history?.["entries"])) {
      const found = fieldsOf(entry);
      const trace = text(found?.["stacktrace"]);
      if (trace !== undefined && trace !== root)
        this.#readText(trace, this.#place, number(found?.["timestamp"]));
    }
  }

  #readErrors(fields: Fields): void {
    for (const error of listOf(fields["errors"])) {
      const message = text(error);
      if (message !== undefined) this.#readText(message, this.#place, undefined);
    }
  }

  #readConfig(fields: Fields): void {
    const external = fieldsOf(fields["externalization"]);
    this.#builder.rest.checkpointConfig.push({
      intervalMs: amount(fields["interval"]),
      timeoutMs: amount(fields["timeout"]),
      minPauseMs: amount(fields["min_pause"]),
      unaligned:
        typeof fields["unaligned_checkpoints"] === "boolean"
          ? fields["unaligned_checkpoints"]
          : undefined,
      tolerable: amount(fields["tolerable_failed_checkpoints"]),
      backend: text(fields["state_backend"]),
      storage: text(fields["checkpoint_storage"]),
      retained: typeof external?.["enabled"] === "boolean" ? external["enabled"] : undefined,
      deleteOnCancellation:
        typeof external?.["delete_on_cancellation"] === "boolean"
          ? external["delete_on_cancellation"]
          : undefined,
      place: this.#place,
    });
  }

  #readCheckpoints(fields: Fields): void {
    const counts = fieldsOf(fields["counts"]) ?? {};
    this.#builder.rest.checkpointCounts.push({
      completed: number(counts["completed"]) ?? 0,
      failed: number(counts["failed"]) ?? 0,
      inProgress: number(counts["in_progress"]) ?? 0,
      restored: number(counts["restored"]) ?? 0,
      place: this.#place,
    });
    for (const entry of listOf(fields["history"])) this.#readCheckpoint(fieldsOf(entry) ?? {});
    const latest = fieldsOf(fields["latest"]) ?? {};
    for (const name of ["completed", "failed", "savepoint"]) {
      const entry = fieldsOf(latest[name]);
      if (entry !== undefined) this.#readCheckpoint(entry);
    }
  }

  #readCheckpoint(fields: Fields): void {
    const id = number(fields["id"]);
    const status = text(fields["status"]);
    if (id === undefined || status === undefined) return;
    const failure = text(fields["failure_message"]);
    const checkpoint: RestCheckpoint = {
      id,
      status: status.toUpperCase(),
      isSavepoint:
        fields["is_savepoint"] === true || /SAVEPOINT/u.test(text(fields["checkpoint_type"]) ?? ""),
      triggeredAtMs: amount(fields["trigger_timestamp"]),
      durationMs: amount(fields["end_to_end_duration"]),
      stateBytes: amount(fields["state_size"]),
      checkpointedBytes: amount(fields["checkpointed_size"]),
      persistedBytes: amount(fields["persisted_data"]),
      subtasks: amount(fields["num_subtasks"]),
      acknowledged: amount(fields["num_acknowledged_subtasks"]),
      failure,
      externalPath: text(fields["external_path"]),
      tasks: Object.entries(fieldsOf(fields["tasks"]) ?? {}).map(([vertexId, task]) => {
        const found = fieldsOf(task) ?? {};
        return {
          vertexId,
          subtasks: number(found["num_subtasks"]) ?? 0,
          acknowledged: number(found["num_acknowledged_subtasks"]) ?? 0,
          durationMs: amount(found["end_to_end_duration"]),
          stateBytes: amount(found["state_size"]),
        };
      }),
      place: this.#place,
    };
    const list = this.#builder.rest.checkpoints;
    const same = list.findIndex(
      (other) =>
        other.id === id &&
        other.status === checkpoint.status &&
        other.place.file === this.#place.file,
    );
    if (same < 0) {
      list.push(checkpoint);
      if (failure !== undefined)
        this.#readText(failure, this.#place, amount(fields["failure_timestamp"]));
    }
  }

  #readSubtasks(fields: Fields): void {
    this.#builder.rest.subtasks.push({
      checkpointId: number(fields["id"]) ?? 0,
      status: (text(fields["status"]) ?? "").toUpperCase(),
      vertexId: this.#vertexId,
      vertexName: text(fields["vertexName"]) ?? text(fields["vertex_name"]) ?? text(fields["name"]),
      subtasks: withSummary(
        listOf(fields["subtasks"]).map((entry) => readSubtask(fieldsOf(entry) ?? {})),
        fields,
      ),
      place: this.#place,
    });
    for (const name of ["backpressure", "_backpressure"]) {
      const inner = fieldsOf(fields[name]);
      if (inner !== undefined) this.#readLooseBackpressure(inner);
    }
  }

  /** A hand-made summary: one entry a vertex with its level or ratio. */
  #readLooseBackpressure(fields: Fields): void {
    for (const [name, entry] of Object.entries(fields)) {
      const found = fieldsOf(entry);
      if (found === undefined) continue;
      const level = text(found["backpressureLevel"]) ?? text(found["backpressure-level"]);
      if (level === undefined) continue;
      this.#builder.rest.backpressure.push({
        vertexId: name,
        level,
        subtasks: [
          {
            index: 0,
            backpressured: number(found["ratio"]),
            busy: number(found["busyRatio"]),
            idle: number(found["idleRatio"]),
          },
        ],
        place: this.#place,
      });
    }
  }

  #readJob(fields: Fields): void {
    const state = text(fields["state"]);
    if (state !== undefined) {
      this.#builder.rest.jobs.push({
        id: text(fields["jid"]) ?? "",
        name: text(fields["name"]),
        state,
        place: this.#place,
      });
    }
    const inputsById = planInputs(fields["plan"]);
    listOf(fields["vertices"]).forEach((entry, position) => {
      const vertex = fieldsOf(entry) ?? {};
      const metrics = fieldsOf(vertex["metrics"]) ?? {};
      this.#builder.rest.vertices.push({
        id: text(vertex["id"]) ?? "",
        name: text(vertex["name"]) ?? "",
        parallelism: number(vertex["parallelism"]) ?? 1,
        maxParallelism: amount(vertex["maxParallelism"]),
        status: text(vertex["status"]) ?? "",
        position,
        inputs: inputsById.get(text(vertex["id"]) ?? ""),
        busyMs: amount(metrics["accumulated-busy-time"]),
        backpressuredMs: amount(metrics["accumulated-backpressured-time"]),
        place: this.#place,
      });
    });
  }

  #readJobs(fields: Fields): void {
    for (const entry of listOf(fields["jobs"])) {
      const job = fieldsOf(entry) ?? {};
      const state = text(job["state"]) ?? text(job["status"]);
      if (state === undefined) continue;
      this.#builder.rest.jobs.push({
        id: text(job["jid"]) ?? text(job["id"]) ?? "",
        name: text(job["name"]),
        state,
        place: this.#place,
      });
    }
  }

  #readBackpressure(fields: Fields): void {
    this.#builder.rest.backpressure.push({
      vertexId: this.#vertexId,
      level: text(fields["backpressureLevel"]) ?? text(fields["backpressure-level"]) ?? "",
      subtasks: listOf(fields["subtasks"]).map((entry) => {
        const found = fieldsOf(entry) ?? {};
        return {
          index: number(found["subtask"]) ?? 0,
          backpressured: number(found["ratio"]),
          busy: number(found["busyRatio"]),
          idle: number(found["idleRatio"]),
        };
      }),
      place: this.#place,
    });
  }

  #readSavepoint(fields: Fields): void {
    const operation = fieldsOf(fields["operation"]);
    const cause = fieldsOf(operation?.["failure-cause"]);
    const trace = text(cause?.["stack-trace"]);
    this.#builder.rest.savepoints.push({
      status: text(fieldsOf(fields["status"])?.["id"]) ?? "",
      location: text(operation?.["location"]),
      failure: trace,
      place: this.#place,
    });
    if (trace !== undefined) this.#readText(trace, this.#place, undefined);
  }
}

/** The edges of a job's plan, by the vertex that they lead to. */
function planInputs(plan: unknown): ReadonlyMap<string, RestVertex["inputs"]> {
  return new Map(
    listOf(fieldsOf(plan)?.["nodes"]).map((entry) => {
      const node = fieldsOf(entry) ?? {};
      const inputs = listOf(node["inputs"]).map((input) => ({
        vertexId: text(fieldsOf(input)?.["id"]) ?? "",
        shipStrategy: text(fieldsOf(input)?.["ship_strategy"]) ?? "",
      }));
      return [text(node["id"]) ?? "", inputs];
    }),
  );
}
