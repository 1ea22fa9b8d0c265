/** What a command can end with. */
export type ExitReason = "FINISHED" | "FAILED" | "CANCELED" | "REFUSED";

/**
 * Exit codes of `cutwater`, the same for every command but the doctor, whose verdict is 0, 1 or 2. `docs/reference/cli.md` explains them.
 *
 * @remarks
 * A process that a second signal stops at once ends with 128 and the signal's number, as a shell has it.
 */
export const EXIT_CODES: { readonly [R in ExitReason]: number } = {
  /** The command did what was asked; a job has finished. */
  FINISHED: 0,
  /** The job failed, or what was looked at is damaged. */
  FAILED: 1,
  /** The job was cancelled, by a signal. */
  CANCELED: 2,
  /** Nothing was started: bad usage, bad configuration, a job file that cannot be loaded, a directory in use. */
  REFUSED: 3,
};

/** The code of the process after a command: the argument parser's own codes for bad usage are negative. */
export function exitCodeOf(code: number | string | null | undefined): number {
  const number = Number(code ?? 0);
  return number < 0 ? EXIT_CODES.REFUSED : number;
}
