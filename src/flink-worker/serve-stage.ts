import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";

import { assert, nodePlatform, type Logger, silentLogger } from "../base/index.ts";
import { type Frame, FrameReader, type Hello } from "../stage/index.ts";
import { StageHost } from "./stage-host.ts";
import type { StageProgram, StagePrograms } from "./stage-program.ts";

/** The streams and the end of the process in which a stage runs. */
export interface StageSurroundings {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly exit: (code: number) => void;
  readonly loadProgram?: (program: Hello["program"]) => Promise<StageProgram>;
  readonly log?: Logger;
}

/**
 * Serves one stage over stdin and stdout, to the end of stdin.
 *
 * @remarks
 * stdout belongs to the frames from here on: what user code prints goes to stderr. While the pipe is full no order is taken, so
 * that whoever does not read holds up the stage. The end of stdin without CLOSE means that the other end is gone: the process exits.
 */
export function serveStage(surroundings: StageSurroundings): void {
  const { stdin, stdout, stderr, exit } = surroundings;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  let drained: Promise<void> | undefined;
  const host = new StageHost({
    loadProgram: surroundings.loadProgram ?? importProgram,
    platform: nodePlatform(),
    log: surroundings.log ?? silentLogger,
    send: (frame) => {
      if (write(frame)) return;
      drained ??= new Promise((resolve) => {
        stdout.once("drain", () => {
          drained = undefined;
          resolve();
        });
      });
    },
    // Behind what is still to be written.
    end: (isFailed) => write(new Uint8Array(0), () => exit(isFailed ? 1 : 0)),
  });
  const frames: Frame[] = [];
  let isWorking = false;
  const work = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    for (let frame = frames.shift(); frame !== undefined; frame = frames.shift()) {
      await host.take(frame);
      await drained;
    }
    isWorking = false;
  };
  const reader = new FrameReader();
  stdin.on("data", (piece: Uint8Array) => {
    try {
      frames.push(...reader.push(piece));
    } catch (error) {
      return host.fail(error);
    }
    void work();
  });
  stdin.on("end", () => exit(0));
}

/** Imports the module that HELLO names. */
async function importProgram({ module, name }: Hello["program"]): Promise<StageProgram> {
  const url = isAbsolute(module) ? pathToFileURL(module).href : module;
  const { stages } = (await import(url)) as { readonly stages?: StagePrograms };
  const program = stages?.[name];
  assert(program !== undefined, `${module} exports the stage ${name}`);
  return program;
}
