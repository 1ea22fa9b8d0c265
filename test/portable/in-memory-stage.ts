import { nodePlatform, present, silentLogger } from "../../src/base/index.ts";
import { StageHost } from "../../src/flink-worker/index.ts";
import { type Frame, FrameReader } from "../../src/stage/index.ts";
import type { ConnectStage } from "../../src/testing/stage/stage-connection.ts";
import { stages } from "./stage-programs.ts";

/**
 * A stage in this process that is reached by nothing but frames: as cheap as a call, so that it can be killed often.
 *
 * @param chunkBytes - Frames come in pieces of this size, and a kill loses those that have not come.
 */
export function inMemoryStage(chunkBytes: () => number, programs = stages): ConnectStage {
  return ({ onBytes, onEnd }) => {
    let isGone = false;
    const end = (how: string): void => {
      if (isGone) return;
      isGone = true;
      queueMicrotask(() => onEnd(how));
    };
    const arriving: Uint8Array[] = [];
    let isArriving = false;
    const arrive = async (): Promise<void> => {
      if (isArriving) return;
      isArriving = true;
      for (let piece = arriving.shift(); piece !== undefined; piece = arriving.shift()) {
        await Promise.resolve();
        if (isGone) return;
        onBytes(piece);
      }
      isArriving = false;
    };
    const host = new StageHost({
      loadProgram: async ({ name }) => present(programs[name], "the suite has the case"),
      platform: nodePlatform(),
      log: silentLogger,
      send: (frame) => {
        for (let at = 0; at < frame.length;) {
          const length = Math.max(1, chunkBytes());
          arriving.push(frame.slice(at, at + length));
          at += length;
        }
        void arrive();
      },
      end: (isFailed) =>
        void Promise.resolve().then(() =>
          setImmediate(() => end(isFailed ? "exit code 1" : "exit code 0")),
        ),
    });
    const reader = new FrameReader();
    const frames: Frame[] = [];
    let isWorking = false;
    const work = async (): Promise<void> => {
      if (isWorking) return;
      isWorking = true;
      for (let frame = frames.shift(); frame !== undefined && !isGone; frame = frames.shift())
        await host.take(frame);
      isWorking = false;
    };
    return {
      send: (bytes) => {
        frames.push(...reader.push(bytes.slice()));
        void work();
      },
      kill: () => end("SIGKILL"),
      pause: () => undefined,
      resume: () => undefined,
    };
  };
}
