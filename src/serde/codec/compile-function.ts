/**
 * Makes a function from text, so that it has type feedback of its own and fields are plain loads.
 *
 * @remarks
 * Whoever calls it quotes all names from outside by `JSON.stringify`.
 *
 * @throws EvalError if the process forbids code generation from strings.
 */
export function compileFunction<F>(parameters: readonly string[], body: string): F {
  // oxlint-disable-next-line typescript/no-implied-eval -- the one place where code is generated
  return new Function(...parameters, `"use strict"; ${body}`) as F;
}
