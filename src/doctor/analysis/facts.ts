import type {
  Evidence,
  LogEvent,
  Place,
  RestCheckpointConfig,
  Setting,
  ThreadStack,
} from "../evidence/evidence.ts";
import { inferVersion, type VersionRange } from "./flink-version.ts";
import { namesOf, type OptionId } from "./option-names.ts";
import { type Role, type Statement, statementsOf } from "./statements.ts";
import { parseDurationMs } from "./quantities.ts";
import { buildTimeline, type CheckpointLife, type Timeline } from "./timeline.ts";

/** What to look for in one record. All parts that are given must hold. */
export interface Clue {
  /** Some text of the record: its message, or `class: message` of an exception. */
  readonly text?: RegExp;
  /** Another text that must hold in the same record. */
  readonly and?: RegExp;
  /** Must not hold anywhere in the record. */
  readonly not?: RegExp;
  /** Some frame of the record's exceptions: class and method. */
  readonly frame?: RegExp;
  readonly noFrame?: RegExp;
  readonly logger?: RegExp;
  readonly roles?: readonly Role[];
  /** How sure this clue makes, before the record's role is weighed. */
  readonly confidence?: number;
}

export interface Match {
  readonly statement: Statement;
  readonly groups: RegExpExecArray | undefined;
  readonly clue: Clue;
}

/** Everything a rule may look at. */
export class Facts {
  readonly evidence: Evidence;
  readonly version: VersionRange;
  readonly statements: readonly Statement[];
  readonly timeline: Timeline;
  readonly #byEvent = new Map<LogEvent, string>();

  constructor(evidence: Evidence) {
    this.evidence = evidence;
    this.version = inferVersion(evidence);
    this.statements = statementsOf(evidence);
    this.timeline = buildTimeline(evidence);
  }

  /** Every match of a clue, one for a record. */
  *matches(clue: Clue): Generator<Match> {
    let last: LogEvent | undefined;
    for (const statement of this.statements) {
      if (statement.event === last) continue;
      const match = this.#matchOne(statement, clue);
      if (match === undefined) continue;
      last = statement.event;
      yield match;
    }
  }

  first(clue: Clue): Match | undefined {
    for (const match of this.matches(clue)) return match;
    return undefined;
  }

  has(text: RegExp): boolean {
    return this.statements.some((statement) => text.test(statement.text));
  }

  #matchOne(statement: Statement, clue: Clue): Match | undefined {
    const event = statement.event;
    if (clue.roles !== undefined && !clue.roles.includes(statement.role)) return undefined;
    if (clue.logger !== undefined && !clue.logger.test(event.logger ?? "")) return undefined;
    let groups: RegExpExecArray | undefined;
    if (clue.text !== undefined) {
      groups = clue.text.exec(statement.text) ?? undefined;
      if (groups === undefined) return undefined;
    }
    if (clue.and !== undefined && !clue.and.test(this.textOf(event))) return undefined;
    if (clue.not !== undefined && clue.not.test(this.textOf(event))) return undefined;
    if (
      clue.frame !== undefined &&
      !framesOf(event).some((frame) => clue.frame?.test(frame) === true)
    )
      return undefined;
    if (
      clue.noFrame !== undefined &&
      framesOf(event).some((frame) => clue.noFrame?.test(frame) === true)
    )
      return undefined;
    return { statement, groups, clue };
  }

  /** Message and exceptions of a record as one text. */
  textOf(event: LogEvent): string {
    let text = this.#byEvent.get(event);
    if (text === undefined) {
      text = [
        event.message,
        ...event.thrown.map((error) => `${error.className}: ${error.message}`),
      ].join("\n");
      this.#byEvent.set(event, text);
    }
    return text;
  }

  /** The setting in force for an option, whatever it is called; what a file says wins over what a log repeats. */
  setting(option: OptionId): Setting | undefined {
    return this.settingNamed(...namesOf(option));
  }

  settingNamed(...names: readonly string[]): Setting | undefined {
    const found = this.evidence.settings.filter((setting) =>
      names.some((name) => setting.key === name || setting.key.endsWith(`.${name}`)),
    );
    return (
      found.find((setting) => setting.origin === "command") ??
      found.find((setting) => setting.origin === "file") ??
      found[0]
    );
  }

  settingsLike(key: RegExp): readonly Setting[] {
    return this.evidence.settings.filter((setting) => key.test(setting.key));
  }

  get checkpointConfig(): RestCheckpointConfig | undefined {
    return this.evidence.rest.checkpointConfig.at(-1);
  }

  get timeoutMs(): number | undefined {
    return (
      this.checkpointConfig?.timeoutMs ??
      parseDurationMs(this.setting("execution.checkpointing.timeout")?.value)
    );
  }

  get intervalMs(): number | undefined {
    const fromRest = this.checkpointConfig?.intervalMs;
    if (fromRest !== undefined && fromRest < 9_000_000_000_000_000_000) return fromRest;
    return parseDurationMs(this.setting("execution.checkpointing.interval")?.value);
  }

  get minPauseMs(): number | undefined {
    return (
      this.checkpointConfig?.minPauseMs ??
      parseDurationMs(this.setting("execution.checkpointing.min-pause")?.value)
    );
  }

  /** Checkpoints that began and failed, from logs and REST answers. Skipped triggers are none. */
  get failedCheckpoints(): readonly {
    id: number;
    reason: string | undefined;
    expired: boolean;
    atMs: number | undefined;
    place: Place;
  }[] {
    const fromLog = this.timeline.checkpoints
      .filter((life) => life.outcome === "failed" || life.outcome === "expired")
      .map((life) => ({
        id: life.checkpointId,
        reason: life.reason,
        expired: life.outcome === "expired",
        atMs: life.endedAtMs,
        place: life.place,
      }));
    const fromRest = this.evidence.rest.checkpoints
      .filter(
        (checkpoint) =>
          checkpoint.status === "FAILED" && !fromLog.some((life) => life.id === checkpoint.id),
      )
      .map((checkpoint) => ({
        id: checkpoint.id,
        reason: checkpoint.failure,
        expired: /expired before completing/u.test(checkpoint.failure ?? ""),
        atMs: checkpoint.triggeredAtMs,
        place: checkpoint.place,
      }));
    return [...fromLog, ...fromRest];
  }

  get completedCheckpoints(): readonly CheckpointLife[] {
    return this.timeline.checkpoints.filter((life) => life.outcome === "completed");
  }

  /** Ids that completed, from logs and REST answers. */
  get completedIds(): ReadonlySet<number> {
    const ids = new Set(this.completedCheckpoints.map((life) => life.checkpointId));
    for (const checkpoint of this.evidence.rest.checkpoints)
      if (checkpoint.status === "COMPLETED") ids.add(checkpoint.id);
    return ids;
  }

  get expiredCheckpoints(): readonly { id: number; place: Place }[] {
    return this.failedCheckpoints.filter((checkpoint) => checkpoint.expired);
  }

  /** True if some checkpoint ran into its time-out, from any source. */
  get hasExpired(): boolean {
    return (
      this.expiredCheckpoints.length > 0 ||
      this.has(/Checkpoint expired before completing|expired before completing/u)
    );
  }

  /** Stacks of task threads, not of Flink's service threads. */
  get taskStacks(): readonly ThreadStack[] {
    return this.evidence.stacks.filter(
      (stack) =>
        /\(\d+\/\d+\)/u.test(stack.thread) ||
        stack.source === "stuck-report" ||
        /Legacy Source Thread|Source Data Fetcher|Async calls on/u.test(stack.thread),
    );
  }
}

export function framesOf(event: LogEvent): readonly string[] {
  return event.thrown.flatMap((error) => error.frames.map((frame) => frame.method));
}
