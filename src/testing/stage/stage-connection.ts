import { spawn } from "node:child_process";

/** A stage's process, as the end that drives it sees it. */
export interface StageConnection {
  send(frame: Uint8Array): void;
  /** SIGKILL. */
  kill(): void;
  /** Reads no further, so that the pipe fills. */
  pause(): void;
  resume(): void;
}

export interface StageListener {
  readonly onBytes: (piece: Uint8Array) => void;
  /** The process is gone, and all that it wrote has been read. */
  readonly onEnd: (how: string) => void;
}

export type ConnectStage = (listener: StageListener) => StageConnection;

/**
 * Starts a process that serves a stage on its stdin and stdout.
 *
 * @param args - Node's arguments for the next process.
 * @param onStderr - Gets what it prints.
 */
export function spawnStage(
  args: () => readonly string[],
  onStderr: (text: string) => void = () => undefined,
): ConnectStage {
  return ({ onBytes, onEnd }) => {
    const child = spawn(process.execPath, args(), { stdio: ["pipe", "pipe", "pipe"] });
    child.stdout.on("data", onBytes);
    child.stderr.on("data", (piece: Uint8Array) => onStderr(new TextDecoder().decode(piece)));
    // What is written to a process that has just died is lost, and its end is told anyway.
    child.stdin.on("error", () => undefined);
    child.on("error", (error) => onEnd(error.message));
    child.on("close", (code, signal) => onEnd(signal ?? `exit code ${code}`));
    return {
      send: (frame) => void child.stdin.write(frame),
      kill: () => void child.kill("SIGKILL"),
      pause: () => void child.stdout.pause(),
      resume: () => void child.stdout.resume(),
    };
  };
}
