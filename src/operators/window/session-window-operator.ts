import { MIN_TIMESTAMP, present } from "../../base/index.ts";
import { Types, type TypeSerializer } from "../../serde/index.ts";
import type {
  AggregateFunction,
  AggregatingState,
  InternalTimerService,
  Triggerable,
} from "../../state/index.ts";
import { FunctionOperator } from "../function/function-operator.ts";
import { TIMER_SLICE, VOID_NAMESPACE } from "../function/key-timers.ts";
import { ownModule } from "../function/own-module.ts";
import { SideOutputs } from "../function/side-outputs.ts";
import { requireKeyed, type UserFunction } from "../function/user-function.ts";
import { userFunctionFailure } from "../function/user-function-failure.ts";
import type {
  OneInputOperator,
  OperatorFactory,
  OperatorMetrics,
  OperatorParameters,
  Output,
  WatermarkStatus,
} from "../operator.ts";
import { inFlinkMergeOrder } from "./merge-order.ts";
import { type EventTimeSessionWindows, sessionStart } from "./session-windows.ts";
import { TimeWindow } from "./time-window.ts";
import { TIME_WINDOWS } from "./window-assigner.ts";
import { WindowFiring } from "./window-firing.ts";
import type { ProcessWindowFunction, WindowAggregation } from "./window-function.ts";
import type { WindowSetup } from "./window-setup.ts";

/** A setup whose sessions are folded. */
export type SessionSetup<IN, ACC, MID, OUT, K> = WindowSetup<IN, ACC, MID, OUT, K, TimeWindow> & {
  readonly aggregation: Exclude<WindowAggregation<IN, ACC, MID>, { readonly kind: "list" }>;
};

/** An open session of a key. */
interface Session<ACC> {
  readonly start: number;
  readonly end: number;
  readonly contents: ACC;
  /** When a timer comes that looks at it: at its end, or earlier if it has grown since. */
  readonly timerAt: number;
}

/** All open sessions of a key. Nearly always there is one. */
interface KeySessions<ACC> {
  start: number;
  end: number;
  contents: ACC;
  timerAt: number;
  others: readonly Session<ACC>[];
}

const NO_OTHERS: readonly never[] = [];

/** How records are folded into a session. */
interface Folding<IN, ACC, MID> {
  first(value: IN): ACC;
  add(value: IN, contents: ACC): ACC;
  merge(a: ACC, b: ACC): ACC;
  result(contents: ACC): MID;
}

/** What {@link SessionFold} did with a record. */
type FoldOutcome = "JOINED" | "CREATED" | "LATE" | "APART";

/**
 * The sessions of a key as an accumulator, so that the usual record (one session, which it joins) costs one look-up.
 *
 * @remarks
 * What does not fit that is left to the operator, which is told by `outcome`, and which writes what it makes of it with `replace`.
 */
class SessionFold<IN, ACC> implements AggregateFunction<IN, KeySessions<ACC>, KeySessions<ACC>> {
  timestamp: number = MIN_TIMESTAMP;
  watermark: number = MIN_TIMESTAMP;
  outcome: FoldOutcome = "JOINED";
  replacement: KeySessions<ACC> | undefined = undefined;
  private readonly gapMs: number;
  private readonly folding: Folding<IN, ACC, unknown>;

  constructor(gapMs: number, folding: Folding<IN, ACC, unknown>) {
    this.gapMs = gapMs;
    this.folding = folding;
  }

  createAccumulator(): KeySessions<ACC> {
    // No time is in it: `add` makes it the record's session.
    const start = Number.NaN;
    return { start, end: start, contents: undefined as ACC, timerAt: start, others: NO_OTHERS };
  }

  add(value: IN, sessions: KeySessions<ACC>): KeySessions<ACC> {
    if (this.replacement !== undefined) return this.replacement;
    const { timestamp } = this;
    const end = timestamp + this.gapMs;
    if (timestamp <= sessions.end && end >= sessions.start && sessions.others === NO_OTHERS) {
      if (end > sessions.end) sessions.end = end;
      if (timestamp < sessions.start) sessions.start = timestamp;
      sessions.contents = this.folding.add(value, sessions.contents);
      this.outcome = "JOINED";
      return sessions;
    }
    if (!Number.isNaN(sessions.start)) {
      this.outcome = "APART";
      return sessions;
    }
    sessions.start = sessionStart(timestamp);
    sessions.end = sessions.start + this.gapMs;
    sessions.timerAt = sessions.end - 1;
    this.outcome = sessions.timerAt <= this.watermark ? "LATE" : "CREATED";
    if (this.outcome === "CREATED") sessions.contents = this.folding.first(value);
    return sessions;
  }

  getResult(sessions: KeySessions<ACC>): KeySessions<ACC> {
    return sessions;
  }

  merge(): never {
    throw new TypeError("Sessions of one key lie in one place");
  }
}

/**
 * Session windows of event time with a fixed gap that are folded and fire once, at their end: the case that can be quick.
 *
 * @remarks
 * Its results are those of the general operator for windows that merge. All of a key's sessions are one value, and a session has one
 * timer, which is not moved when the session grows: when it comes up early, it is set anew.
 *
 * Invariants:
 *
 * - S1. Sessions of a key do not touch, and each ends after the watermark but for those that are due in the present sweep.
 * - S2. Each session has a timer at `timerAt`, which is at most its last millisecond.
 */
export class SessionWindowOperator<IN, ACC, MID, OUT, K>
  extends FunctionOperator<UserFunction>
  implements OneInputOperator<IN>, Triggerable<null>
{
  private readonly setup: SessionSetup<IN, ACC, MID, OUT, K>;
  private readonly gapMs: number;
  private readonly folding: Folding<IN, ACC, MID>;
  private readonly output: Output<OUT>;
  private readonly metrics: OperatorMetrics;
  private readonly sideOutputs: SideOutputs;
  private readonly fold: SessionFold<IN, ACC>;
  private state: AggregatingState<IN, KeySessions<ACC>> | undefined = undefined;
  private timers: InternalTimerService<null> | undefined = undefined;
  private firing: WindowFiring<OUT, K, TimeWindow> | undefined = undefined;
  private isFiring = false;
  private firingWatermark: number = MIN_TIMESTAMP;

  constructor(
    setup: SessionSetup<IN, ACC, MID, OUT, K>,
    assigner: EventTimeSessionWindows,
    { context, output }: OperatorParameters<OUT>,
  ) {
    super(setup.makeFunction?.() ?? {}, context);
    this.setup = setup;
    this.gapMs = assigner.gapMs;
    this.folding = foldingOf(setup.aggregation);
    this.fold = new SessionFold<IN, ACC>(this.gapMs, this.folding);
    this.output = output;
    this.metrics = context.metrics;
    this.sideOutputs = new SideOutputs(context);
  }

  override initializeState(): void {
    const { context, setup } = this;
    const store = requireKeyed(context, "A window");
    this.state = store.aggregatingState<IN, KeySessions<ACC>, KeySessions<ACC>>({
      kind: "aggregating",
      // The name of the general operator's list: a job whose sessions were kept otherwise is refused, not begun anew.
      name: "merging-window-set",
      ttl: undefined,
      accumulatorType: keySessionsType(contentsType(setup)),
      aggregate: this.fold,
    });
    const timers = store.timerService("session-timers", VOID_NAMESPACE, this);
    this.timers = timers;
    if (setup.makeFunction !== undefined) {
      const userFunction = this.function as ProcessWindowFunction<unknown, OUT, K, TimeWindow>;
      const namespace = { ...TIME_WINDOWS, layout: "key-major" } as const;
      const { output } = this;
      this.firing = new WindowFiring(userFunction, context, store, output, timers, namespace, true);
    }
    super.initializeState();
  }

  processElement(value: IN, timestamp: number): void {
    if (this.isFiring) this.finishFiring();
    this.metrics.numRecordsIn++;
    const { fold } = this;
    fold.timestamp = timestamp;
    try {
      (this.state as AggregatingState<IN, unknown>).add(value);
      if (fold.outcome !== "JOINED") this.afterUnusual(value, timestamp);
    } catch (error) {
      throw userFunctionFailure(this.context, "aggregate", value, error);
    }
  }

  processWatermark(watermark: number): void {
    if (this.isFiring) this.finishFiring();
    this.isFiring = true;
    this.firingWatermark = watermark;
    this.fold.watermark = watermark;
    this.continue();
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    if (this.isFiring) this.finishFiring();
    this.output.processWatermarkStatus(status);
  }

  continue(): boolean {
    if (!this.isFiring) return false;
    if (!this.service().advanceWatermarkSlice(this.firingWatermark, TIMER_SLICE)) return true;
    this.isFiring = false;
    this.output.processWatermark(this.firingWatermark);
    return false;
  }

  onEventTime(timestamp: number): void {
    const sessions = this.read();
    // Its session has become part of another, which has gone.
    if (sessions === undefined) return;
    if (sessions.others !== NO_OTHERS) {
      this.onTimerOfMany(sessions, timestamp);
    } else if (sessions.timerAt > timestamp) {
      return;
    } else if (sessions.end - 1 > timestamp) {
      sessions.timerAt = sessions.end - 1;
      this.service().registerEventTimeTimer(null, sessions.timerAt);
      this.write(sessions);
    } else {
      this.fire(sessions);
      this.write(undefined);
    }
  }

  private onTimerOfMany(sessions: KeySessions<ACC>, timestamp: number): void {
    const open: Session<ACC>[] = [];
    for (const session of sessionsOf(sessions)) {
      if (session.timerAt > timestamp) {
        open.push(session);
      } else if (session.end - 1 > timestamp) {
        const timerAt = session.end - 1;
        this.service().registerEventTimeTimer(null, timerAt);
        open.push({ ...session, timerAt });
      } else {
        this.fire(session);
      }
    }
    this.write(toKeySessions(open));
  }

  onProcessingTime(): void {}

  private fire({ start, end, contents }: Session<ACC>): void {
    const result = this.folding.result(contents);
    if (this.firing === undefined) {
      this.metrics.numRecordsOut++;
      this.output.processElement(result as unknown as OUT, end - 1);
      return;
    }
    const window = new TimeWindow(start, end);
    this.firing.fire(window, [result]);
    this.firing.clear(window);
  }

  private afterUnusual(value: IN, timestamp: number): void {
    const { fold } = this;
    const { outcome } = fold;
    fold.outcome = "JOINED";
    if (outcome === "LATE") {
      this.write(undefined);
      this.takeLate(value, timestamp);
    } else if (outcome === "CREATED") {
      const timerAt = sessionStart(timestamp) + this.gapMs - 1;
      this.service().registerEventTimeTimer(null, timerAt);
    } else {
      this.addApart(present(this.read(), "the key has a session"), value, timestamp);
    }
  }

  /** A record that does not join the one session of its key. */
  private addApart(sessions: KeySessions<ACC>, value: IN, timestamp: number): void {
    const start = sessionStart(timestamp);
    const added = new TimeWindow(start, start + this.gapMs);
    const all = sessionsOf(sessions);
    const touched = all.filter((s) => s.start <= added.end && s.end >= added.start);
    const apart = all.filter((session) => !touched.includes(session));
    if (touched.length > 0) {
      const joined = this.join(touched, added);
      const contents = this.folding.add(value, joined.contents);
      this.write(toKeySessions([...apart, { ...joined, contents }]));
      return;
    }
    const timerAt = added.maxTimestamp();
    if (timerAt <= this.fold.watermark) {
      this.takeLate(value, timestamp);
      return;
    }
    this.service().registerEventTimeTimer(null, timerAt);
    const contents = this.folding.first(value);
    this.write(
      toKeySessions([...apart, { start: added.start, end: added.end, contents, timerAt }]),
    );
  }

  private read(): KeySessions<ACC> | undefined {
    return present(this.state, "state is there before the first record").get();
  }

  private write(sessions: KeySessions<ACC> | undefined): void {
    const state = present(this.state, "state is there before the first record");
    if (sessions === undefined) {
      state.clear();
      return;
    }
    this.fold.replacement = sessions;
    // The value does not matter: the fold returns the replacement.
    state.add(undefined as IN);
    this.fold.replacement = undefined;
  }

  /** One session out of those that a record's window touches, their contents merged in the order of the general operator. */
  private join(touched: readonly Session<ACC>[], added: TimeWindow): Session<ACC> {
    const inTime = [...touched.map((s) => new TimeWindow(s.start, s.end)), added].toSorted(
      (a, b) => a.start - b.start || a.end - b.end,
    );
    const [kept, ...others] = inFlinkMergeOrder(inTime).flatMap((window) =>
      touched.filter((s) => window !== added && s.start === window.start && s.end === window.end),
    );
    const first = present(kept, "a record's window touches a session");
    let merged: ACC | undefined = undefined;
    let { start, end, timerAt } = first;
    for (const session of others) {
      merged =
        merged === undefined ? session.contents : this.folding.merge(merged, session.contents);
      start = Math.min(start, session.start);
      end = Math.max(end, session.end);
      timerAt = Math.min(timerAt, session.timerAt);
    }
    const contents =
      merged === undefined ? first.contents : this.folding.merge(first.contents, merged);
    start = Math.min(start, added.start);
    end = Math.max(end, added.end);
    return { start, end, contents, timerAt };
  }

  private takeLate(value: IN, timestamp: number): void {
    if (timestamp > this.fold.watermark) return;
    const { lateOutput } = this.setup;
    if (lateOutput !== undefined) this.sideOutputs.emit(lateOutput, value, timestamp);
    else this.metrics.numLateRecordsDropped++;
  }

  private service(): InternalTimerService<null> {
    return present(this.timers, "timers are there before the first record");
  }

  private finishFiring(): void {
    while (this.continue());
  }
}

function sessionsOf<ACC>(sessions: KeySessions<ACC>): readonly Session<ACC>[] {
  const { start, end, contents, timerAt, others } = sessions;
  return [{ start, end, contents, timerAt }, ...others];
}

function toKeySessions<ACC>(sessions: readonly Session<ACC>[]): KeySessions<ACC> | undefined {
  const [first, ...others] = sessions;
  if (first === undefined) return undefined;
  const { start, end, contents, timerAt } = first;
  return { start, end, contents, timerAt, others: others.length === 0 ? NO_OTHERS : others };
}

function foldingOf<IN, ACC, MID>(
  aggregation: Exclude<WindowAggregation<IN, ACC, MID>, { readonly kind: "list" }>,
): Folding<IN, ACC, MID> {
  if (aggregation.kind === "aggregate") {
    const { aggregate } = aggregation;
    return {
      first: (value) => aggregate.add(value, aggregate.createAccumulator()),
      add: (value, contents) => aggregate.add(value, contents),
      merge: (a, b) => aggregate.merge(a, b),
      result: (contents) => aggregate.getResult(contents),
    };
  }
  // What is reduced is of the type of the records: IN, ACC and MID are one.
  const reduce = aggregation.reduce as unknown as (a: ACC, b: ACC) => ACC;
  return {
    first: (value) => value as unknown as ACC,
    add: (value, contents) => reduce(contents, value as unknown as ACC),
    merge: reduce,
    result: (contents) => contents as unknown as MID,
  };
}

function contentsType<IN, ACC, MID, OUT, K>(
  setup: SessionSetup<IN, ACC, MID, OUT, K>,
): TypeSerializer<ACC> {
  if (setup.aggregation.kind === "aggregate") return setup.accumulatorType;
  return setup.recordType as unknown as TypeSerializer<ACC>;
}

/** Reads the empty list of others as the one that all keys share. */
function keySessionsType<ACC>(contents: TypeSerializer<ACC>): TypeSerializer<KeySessions<ACC>> {
  const fields = {
    start: Types.timestamp(),
    end: Types.timestamp(),
    contents,
    timerAt: Types.timestamp(),
  };
  const type = Types.struct({ ...fields, others: Types.array(Types.struct(fields)) });
  const { typeName, snapshot, keyKind } = type;
  return {
    typeName,
    snapshot,
    keyKind,
    rowFields: undefined,
    write: (sessions, out) => type.write(sessions as never, out),
    read(input) {
      const sessions = type.read(input) as unknown as KeySessions<ACC>;
      if (sessions.others.length === 0) sessions.others = NO_OTHERS;
      return sessions;
    },
  };
}

/** {@link SessionWindowOperator} as a factory. */
export function sessionWindowOperator<IN, ACC, MID, OUT, K>(
  kind: string,
  setup: SessionSetup<IN, ACC, MID, OUT, K>,
  assigner: EventTimeSessionWindows,
): OperatorFactory<OneInputOperator<IN>, OUT> {
  return {
    kind,
    moduleUrl: import.meta.url,
    create(own, parameters) {
      const { SessionWindowOperator: Own } = ownModule(own, { SessionWindowOperator });
      return new Own<IN, ACC, MID, OUT, K>(setup, assigner, parameters);
    },
  };
}
