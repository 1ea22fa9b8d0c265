import { serveStage } from "./serve-stage.ts";

/** The process of one stage: `node dist/flink-worker/main.js`, with frames on stdin and stdout (docs/reference/stage-frames.md). */
serveStage({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  exit: (code) => process.exit(code),
});
