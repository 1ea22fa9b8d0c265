import { StreamError } from "../../base/index.ts";
import type { OperatorContext } from "../operator.ts";
import type { TimerService } from "./process-function.ts";

/** Tells the time to functions on streams without keys; timers are refused there. */
export class ClockService implements TimerService {
  /** Set by the operator before it forwards a watermark. */
  watermark: number;
  private readonly context: OperatorContext;

  constructor(context: OperatorContext, watermark: number) {
    this.context = context;
    this.watermark = watermark;
  }

  currentProcessingTime(): number {
    return this.context.processingTime.nowMs();
  }

  currentWatermark(): number {
    return this.watermark;
  }

  registerEventTimeTimer(): void {
    throw this.refusal();
  }

  registerProcessingTimeTimer(): void {
    throw this.refusal();
  }

  deleteEventTimeTimer(): void {
    throw this.refusal();
  }

  deleteProcessingTimeTimer(): void {
    throw this.refusal();
  }

  private refusal(): StreamError {
    return new StreamError("KEYED_STREAM_REQUIRED", {
      operator: this.context.operatorName,
      what: "A timer",
    });
  }
}
