/**
 * Takes `-Dkey=value`, as Flink's users write it, apart into `-D key=value`. What stands behind `--` is the job's own.
 */
export function commandLine(inputs: readonly string[]): readonly string[] {
  const end = inputs.indexOf("--");
  const own = end === -1 ? inputs : inputs.slice(0, end);
  const ofJob = end === -1 ? [] : inputs.slice(end);
  const split = own.flatMap((input) => (/^-D./.test(input) ? ["-D", input.slice(2)] : [input]));
  return [...split, ...ofJob];
}
