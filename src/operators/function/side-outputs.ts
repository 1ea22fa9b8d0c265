import type { OperatorContext, Output } from "../operator.ts";
import type { OutputTag } from "../output-tag.ts";

/** The side outputs of one operator, looked up once per tag. */
export class SideOutputs {
  private readonly context: OperatorContext;
  private readonly outputs: Map<string, Output<unknown>> = new Map();

  constructor(context: OperatorContext) {
    this.context = context;
  }

  emit<T>(tag: OutputTag<T>, value: T, timestamp: number): void {
    let output = this.outputs.get(tag.id);
    if (output === undefined) {
      output = this.context.sideOutput<unknown>(tag as OutputTag<unknown>);
      this.outputs.set(tag.id, output);
    }
    output.processElement(value, timestamp);
  }
}
