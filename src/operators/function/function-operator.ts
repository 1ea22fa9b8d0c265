import type { Operator, OperatorContext } from "../operator.ts";
import { requireSynchronous } from "./synchronous.ts";
import { NO_RECORD, userFunctionFailure } from "./user-function-failure.ts";
import {
  type KeyedStateAccess,
  keyedStateAccess,
  runtimeContext,
  type UserFunction,
} from "./user-function.ts";

/**
 * The life cycle of operators around a user's function object. Holds nothing that is called per record: what is shared by
 * all operators would lose its type feedback.
 */
export abstract class FunctionOperator<F extends UserFunction> implements Operator {
  protected readonly function: F;
  protected readonly context: OperatorContext;

  constructor(userFunction: F, context: OperatorContext) {
    requireSynchronous(`"${context.operatorName}"`, userFunction);
    this.function = userFunction;
    this.context = context;
  }

  initializeState(): void {
    const { context } = this;
    this.guard("initializeState", () =>
      this.function.initializeState?.({
        isRestored: context.isRestored,
        operatorState: context.operatorState,
        keyedState: this.keyedStateAccess(),
      }),
    );
  }

  async open(): Promise<void> {
    await this.guardAsync("open", () =>
      this.function.open?.(runtimeContext(this.context, this.keyedStateAccess())),
    );
  }

  snapshotState(checkpointId: number): void {
    this.guard("snapshotState", () => this.function.snapshotState?.({ checkpointId }));
  }

  async notifyCheckpointComplete(checkpointId: number): Promise<void> {
    await this.guardAsync("notifyCheckpointComplete", () =>
      this.function.notifyCheckpointComplete?.(checkpointId),
    );
  }

  notifyCheckpointAborted(checkpointId: number): void {
    this.guard("notifyCheckpointAborted", () =>
      this.function.notifyCheckpointAborted?.(checkpointId),
    );
  }

  async close(): Promise<void> {
    await this.guardAsync("close", () => this.function.close?.());
  }

  /** The keyed state that the function gets. */
  protected keyedStateAccess(): KeyedStateAccess {
    return keyedStateAccess(this.context);
  }

  private guard(method: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      throw userFunctionFailure(this.context, method, NO_RECORD, error);
    }
  }

  private async guardAsync(method: string, call: () => void | Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      throw userFunctionFailure(this.context, method, NO_RECORD, error);
    }
  }
}
