import { causeChain, errorText, type Platform, randomId } from "../../base/index.ts";
import { errorName, stackText } from "../answers/stack-text.ts";
import { serializedThrowable } from "./serialized-throwable.ts";

/** Kinds of operations; each has a path of its own to ask for its state. */
export type OperationKind = "savepoint" | "checkpoint" | "savepoint disposal" | "rescaling";

/** What an operation has come to, as REST says it. */
export interface OperationAnswer {
  readonly status: { readonly id: "IN_PROGRESS" | "COMPLETED" };
  readonly operation?: object;
}

interface Operation {
  answer: OperationAnswer;
  /** Undefined while it goes on. */
  endedAtMs: number | undefined;
  /** Whether the client has been told how it ended. */
  isSeen: boolean;
}

/** How long an operation that has ended is remembered. Source: Flink `rest.async.store-duration`. */
const KEPT_MS = 5 * 60_000;

/** A client that has not asked for so long is gone. */
const ASKING_MS = 10_000;

/** How long an answer may be on its way to the client. */
const ANSWER_MS = 100;

/** Operations that one server remembers at most. */
const KEPT_COUNT = 1_000;

/** Operations that were begun over REST and are asked for later. */
export class AsynchronousOperations {
  readonly #platform: Platform;
  readonly #operations = new Map<string, Operation>();
  #onSeen: (() => void) | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /**
   * Begins an operation, unless the client gave a trigger id that is known already.
   *
   * @param failureField - Name of the field that holds what went wrong.
   * @returns The trigger id.
   */
  begin(
    kind: OperationKind,
    jobId: string,
    triggerId: string | undefined,
    action: () => Promise<object>,
    failureField: "failure-cause" | "failureCause" = "failure-cause",
  ): string {
    this.#forget();
    const id = triggerId ?? randomId(this.#platform);
    const key = keyOf(kind, jobId, id);
    if (this.#operations.has(key)) return id;
    const operation: Operation = {
      answer: { status: { id: "IN_PROGRESS" } },
      endedAtMs: undefined,
      isSeen: false,
    };
    this.#operations.set(key, operation);
    const end = (result: object): void => {
      operation.answer = { status: { id: "COMPLETED" }, operation: result };
      operation.endedAtMs = this.#platform.nowMs();
    };
    action().then(end, (error: unknown) => end({ [failureField]: failureCause(error) }));
    return id;
  }

  /** Undefined if there is none, or none any more. */
  find(kind: OperationKind, jobId: string, triggerId: string): OperationAnswer | undefined {
    this.#forget();
    const operation = this.#operations.get(keyOf(kind, jobId, triggerId));
    if (operation?.endedAtMs !== undefined) {
      operation.isSeen = true;
      this.#onSeen?.();
    }
    return operation?.answer;
  }

  /**
   * Resolves when all clients have been told how their operations ended, at the latest after this time. Whoever stops a job over REST
   * would otherwise find the server gone with it. Source: Flink `CompletedOperationCache.closeAsync`.
   */
  settle(withinMs: number): Promise<void> {
    if (!this.#isAwaited()) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#platform.after(withinMs, resolve);
      this.#onSeen = () => {
        if (this.#isAwaited()) return;
        cancel();
        this.#platform.after(ANSWER_MS, resolve);
      };
    });
  }

  #isAwaited(): boolean {
    const sinceMs = this.#platform.nowMs() - ASKING_MS;
    return [...this.#operations.values()].some(
      ({ isSeen, endedAtMs }) => !isSeen && (endedAtMs === undefined || endedAtMs > sinceMs),
    );
  }

  #forget(): void {
    const beforeMs = this.#platform.nowMs() - KEPT_MS;
    for (const [key, { endedAtMs }] of this.#operations) {
      const isOld = endedAtMs !== undefined && endedAtMs < beforeMs;
      const isTooMany = endedAtMs !== undefined && this.#operations.size > KEPT_COUNT;
      if (isOld || isTooMany) this.#operations.delete(key);
    }
  }
}

/** An error as Flink's clients read it. */
export function failureCause(error: unknown): object {
  const text = stackText(error);
  // Java prints the message alone when the error is the cause of another.
  const [, ...causes] = causeChain(error);
  const message = [errorText(error), ...causes.map((cause) => `Caused by: ${cause}`)].join("\n");
  const bytes = serializedThrowable(errorName(error), message, text);
  return {
    class: errorName(error),
    "stack-trace": text,
    "serialized-throwable": Buffer.from(bytes).toString("base64"),
  };
}

function keyOf(kind: OperationKind, jobId: string, triggerId: string): string {
  return `${kind}/${jobId}/${triggerId}`;
}
