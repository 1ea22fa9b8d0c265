import { MIN_TIMESTAMP, present } from "../../base/index.ts";
import { Types, type TypeSerializer } from "../../serde/index.ts";
import type {
  AggregateFunction,
  AggregatingState,
  InternalTimerService,
  Triggerable,
  ValueState,
} from "../../state/index.ts";
import { FunctionOperator } from "../function/function-operator.ts";
import { TIMER_SLICE, VOID_NAMESPACE } from "../function/key-timers.ts";
import { ownModule } from "../function/own-module.ts";
import { SideOutputs } from "../function/side-outputs.ts";
import { requireKeyed, type UserFunction } from "../function/user-function.ts";
import { NO_RECORD, userFunctionFailure } from "../function/user-function-failure.ts";
import type {
  OneInputOperator,
  OperatorFactory,
  OperatorMetrics,
  OperatorParameters,
  Output,
  WatermarkStatus,
} from "../operator.ts";
import { inFlinkMergeOrder } from "./merge-order.ts";
import {
  contentsType,
  type SessionFolding,
  sessionFolding,
  type SessionSetup,
} from "./session-folding.ts";
import {
  type ContentsAdder,
  type HeldSession,
  type SessionForm,
  sessionForm,
  type SessionJoining,
} from "./session-form.ts";
import { type EventTimeSessionWindows, sessionStart } from "./assigner/session-windows.ts";
import { TimeWindow } from "./time-window.ts";
import { TIME_WINDOWS } from "./assigner/window-assigner.ts";
import { WindowFiring } from "./window-firing.ts";
import type { ProcessWindowFunction } from "./window-function.ts";

/** An open session of a key. */
interface Session<ACC> {
  readonly start: number;
  readonly end: number;
  readonly contents: ACC;
}

/** Start of a value that holds no session yet. */
const NOTHING = Number.NaN;

/** Start of a value that stands for several sessions, which lie in a state of their own. No record joins it. */
const SEVERAL = Number.POSITIVE_INFINITY;

/**
 * The session of a key as an accumulator, so that the usual record (it joins the only session) costs one look-up.
 *
 * @remarks
 * What does not fit that is left to the operator, which is told by `isUnusual`, and which writes what it makes of it with
 * `replacement`.
 */
class SessionFold<IN, ACC>
  implements AggregateFunction<IN, HeldSession, HeldSession>, SessionJoining<IN, ACC>
{
  timestamp: number = MIN_TIMESTAMP;
  /** Set when a record has not joined the session. */
  isUnusual = false;
  replacement: HeldSession | undefined = undefined;
  readonly gapMs: number;
  readonly adder: ContentsAdder<IN, ACC>;
  private readonly form: SessionForm<ACC>;

  constructor(gapMs: number, adder: ContentsAdder<IN, ACC>, form: SessionForm<ACC>) {
    this.gapMs = gapMs;
    this.adder = adder;
    this.form = form;
  }

  createAccumulator(): HeldSession {
    return this.form.empty(NOTHING, Number.NaN);
  }

  add(value: IN, held: HeldSession): HeldSession {
    // No record joins NOTHING or SEVERAL, whose ends are NaN.
    return this.form.join(this, value, held);
  }

  unusual(): HeldSession | undefined {
    this.isUnusual = true;
    return this.replacement;
  }

  getResult(held: HeldSession): HeldSession {
    return held;
  }

  merge(): never {
    throw new TypeError("Sessions of one key lie in one place");
  }
}

/**
 * Session windows of event time with a fixed gap that are folded and fire once, at their end: the case that can be quick.
 *
 * @remarks
 * Its results are those of the general operator for windows that merge. A key's session and its contents are one value, and a session has one
 * timer, which is not moved when the session grows: when it comes up early, it is set anew.
 *
 * Invariants:
 *
 * - S1. Sessions of a key do not touch, and each ends after the watermark but for those that are due in the present sweep.
 * - S2. For each session a timer of its key comes at its last millisecond or before; every timer looks at all sessions of its key.
 */
export class SessionWindowOperator<IN, ACC, MID, OUT, K>
  extends FunctionOperator<UserFunction>
  implements OneInputOperator<IN>, Triggerable<null>
{
  private readonly setup: SessionSetup<IN, ACC, MID, OUT, K>;
  private readonly gapMs: number;
  private readonly folding: SessionFolding<IN, ACC, MID>;
  private readonly output: Output<OUT>;
  private readonly metrics: OperatorMetrics;
  private readonly sideOutputs: SideOutputs;
  private readonly form: SessionForm<ACC>;
  private readonly fold: SessionFold<IN, ACC>;
  private state: AggregatingState<IN, HeldSession> | undefined = undefined;
  private several: ValueState<Session<ACC>[]> | undefined = undefined;
  private timers: InternalTimerService<null> | undefined = undefined;
  private firing: WindowFiring<OUT, K, TimeWindow> | undefined = undefined;
  /** True while timers of the last watermark are left over. */
  private isFiring = false;
  private watermark: number = MIN_TIMESTAMP;

  constructor(
    setup: SessionSetup<IN, ACC, MID, OUT, K>,
    assigner: EventTimeSessionWindows,
    { context, output }: OperatorParameters<OUT>,
  ) {
    super(setup.makeFunction?.() ?? {}, context);
    this.setup = setup;
    this.gapMs = assigner.gapMs;
    this.folding = sessionFolding(setup.aggregation);
    this.form = sessionForm(contentsType(setup), this.constructor);
    this.fold = new SessionFold<IN, ACC>(this.gapMs, this.folding.adder, this.form);
    this.output = output;
    this.metrics = context.metrics;
    this.sideOutputs = new SideOutputs(context);
  }

  override initializeState(): void {
    const { context, setup } = this;
    const store = requireKeyed(context, "A window");
    this.state = store.aggregatingState<IN, HeldSession, HeldSession>({
      kind: "aggregating",
      // The name of the general operator's list: a job whose sessions were kept otherwise is refused, not begun anew.
      name: "merging-window-set",
      ttl: undefined,
      accumulatorType: this.form.type,
      aggregate: this.fold,
    });
    this.several = store.valueState<Session<ACC>[]>({
      kind: "value",
      name: "several-sessions",
      ttl: undefined,
      type: sessionsType(contentsType(setup)),
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
    const { fold } = this;
    fold.timestamp = timestamp;
    try {
      (this.state as AggregatingState<IN, unknown>).add(value);
      if (fold.isUnusual) this.addUnusual(value, timestamp);
    } catch (error) {
      throw userFunctionFailure(this.context, "aggregate", value, error);
    }
  }

  processWatermark(watermark: number): void {
    if (this.isFiring) this.finishFiring();
    this.isFiring = true;
    this.watermark = watermark;
    this.continue();
  }

  processWatermarkStatus(status: WatermarkStatus): void {
    if (this.isFiring) this.finishFiring();
    this.output.processWatermarkStatus(status);
  }

  continue(): boolean {
    if (!this.isFiring) return false;
    if (!this.service().advanceWatermarkSlice(this.watermark, TIMER_SLICE)) return true;
    this.isFiring = false;
    this.output.processWatermark(this.watermark);
    return false;
  }

  onEventTime(timestamp: number): void {
    try {
      this.fireTimer(timestamp);
    } catch (error) {
      throw userFunctionFailure(this.context, "window", NO_RECORD, error);
    }
  }

  private fireTimer(timestamp: number): void {
    const held = present(this.state, "state is there before the first timer").get();
    // Its session has become part of another, which has gone.
    if (held === undefined) return;
    if (held.start === SEVERAL) {
      this.onTimerOfSeveral(timestamp);
    } else if (held.end - 1 > timestamp) {
      this.service().registerEventTimeTimer(null, held.end - 1);
    } else {
      this.fire(held.start, held.end, this.form.contentsOf(held));
      this.state?.clear();
    }
  }

  private onTimerOfSeveral(timestamp: number): void {
    const open: Session<ACC>[] = [];
    for (const session of this.read()) {
      if (session.end - 1 > timestamp) {
        this.service().registerEventTimeTimer(null, session.end - 1);
        open.push(session);
      } else {
        this.fire(session.start, session.end, session.contents);
      }
    }
    this.write(open);
  }

  onProcessingTime(): void {}

  private fire(start: number, end: number, contents: ACC): void {
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

  /** A record that begins a session, is late, or belongs to one of several sessions. */
  private addUnusual(value: IN, timestamp: number): void {
    this.fold.isUnusual = false;
    const state = present(this.state, "state is there before the first record");
    const held = present(state.get(), "the fold has left a value");
    if (!Number.isNaN(held.start)) {
      this.addApart(value, timestamp);
      return;
    }
    const start = sessionStart(timestamp);
    const end = start + this.gapMs;
    if (end - 1 <= this.watermark) {
      state.clear();
      this.takeLate(value, timestamp);
      return;
    }
    this.replace(this.form.make(start, end, this.folding.first(value)));
    this.service().registerEventTimeTimer(null, end - 1);
  }

  /** A record that does not join the one session of its key. */
  private addApart(value: IN, timestamp: number): void {
    const start = sessionStart(timestamp);
    const added = new TimeWindow(start, start + this.gapMs);
    const all = this.read();
    const touched = all.filter((s) => s.start <= added.end && s.end >= added.start);
    const apart = all.filter((session) => !touched.includes(session));
    if (touched.length > 0) {
      const joined = this.join(touched, added);
      const contents = this.folding.adder.add(value, joined.contents);
      this.write([...apart, { ...joined, contents }]);
      return;
    }
    const timerAt = added.maxTimestamp();
    if (timerAt <= this.watermark) {
      this.takeLate(value, timestamp);
      return;
    }
    this.service().registerEventTimeTimer(null, timerAt);
    const contents = this.folding.first(value);
    this.write([...apart, { start: added.start, end: added.end, contents }]);
  }

  /** All sessions of the current key. */
  private read(): readonly Session<ACC>[] {
    const held = present(this.state, "state is there before the first record").get();
    if (held === undefined) return [];
    const { start, end } = held;
    if (start === SEVERAL) return this.several?.value() ?? [];
    return [{ start, end, contents: this.form.contentsOf(held) }];
  }

  private write(sessions: readonly Session<ACC>[]): void {
    const [first] = sessions;
    this.several?.update(sessions.length < 2 ? undefined : [...sessions]);
    if (first === undefined) this.state?.clear();
    else if (sessions.length > 1) this.replace(this.form.empty(SEVERAL, Number.NaN));
    else this.replace(this.form.make(first.start, first.end, first.contents));
  }

  private replace(held: HeldSession): void {
    const { fold } = this;
    fold.replacement = held;
    // This time joins no session: the fold returns the replacement, whatever the value.
    fold.timestamp = Number.NaN;
    this.state?.add(undefined as IN);
    fold.replacement = undefined;
    fold.isUnusual = false;
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
    let { start, end } = first;
    for (const session of others) {
      merged =
        merged === undefined ? session.contents : this.folding.merge(merged, session.contents);
      start = Math.min(start, session.start);
      end = Math.max(end, session.end);
    }
    const contents =
      merged === undefined ? first.contents : this.folding.merge(first.contents, merged);
    start = Math.min(start, added.start);
    end = Math.max(end, added.end);
    return { start, end, contents };
  }

  private takeLate(value: IN, timestamp: number): void {
    if (timestamp > this.watermark) return;
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

function sessionsType<ACC>(contents: TypeSerializer<ACC>): TypeSerializer<Session<ACC>[]> {
  const times = { start: Types.timestamp(), end: Types.timestamp() };
  const type = Types.array(Types.struct({ ...times, contents }));
  return type as unknown as TypeSerializer<Session<ACC>[]>;
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
