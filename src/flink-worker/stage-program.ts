import type { Operator, OperatorFactory } from "../operators/index.ts";
import type { TypeSerializer } from "../serde/index.ts";

/** What a stage runs: a chain of operators, with the types of what goes in and comes out. */
export interface StageProgram {
  /** The types of the inputs, by port: one, or two for an operator with two inputs. */
  readonly inputs: readonly TypeSerializer<unknown>[];
  /** Set if an input is keyed. */
  readonly keyType: TypeSerializer<unknown> | undefined;
  /** What comes out, by port; the first is the main output. */
  readonly outputs: readonly StageOutput[];
  /** Head first. Keyed state is the head's. */
  readonly operators: readonly StageOperator[];
}

export interface StageOutput {
  /** The side output; undefined for the main one. */
  readonly tag: string | undefined;
  readonly type: TypeSerializer<unknown>;
}

export interface StageOperator {
  /** Flink's operator id: state is found by it. */
  readonly id: string;
  readonly name: string;
  readonly factory: OperatorFactory<Operator, never>;
}

/** What the module of a program exports under the name `stages`. */
export type StagePrograms = Readonly<Record<string, StageProgram>>;
