import { present } from "../../src/base/index.ts";
import { serveStage, type StageProgram } from "../../src/flink-worker/index.ts";
import type { Output } from "../../src/operators/index.ts";
import type { TypeSerializer } from "../../src/serde/index.ts";
import { stages } from "./stage-programs.ts";

/**
 * The process of one stage of the operator suite: the tests bundle it into one file, so that it starts quickly.
 *
 * Its argument, if any, says at which event it kills itself: the reading of a record, or anything that the operator emits.
 */
const [, , dieAtEvent] = process.argv;
let eventsLeft = dieAtEvent === undefined ? Number.POSITIVE_INFINITY : Number(dieAtEvent);

function event(): void {
  eventsLeft--;
  if (eventsLeft === 0) process.kill(process.pid, "SIGKILL");
}

function mortal(program: StageProgram): StageProgram {
  return {
    ...program,
    inputs: program.inputs.map((type): TypeSerializer<unknown> =>
      Object.create(type, {
        read: {
          value: (input: never) => {
            event();
            return type.read(input);
          },
        },
      }),
    ),
    operators: program.operators.map((operator) => ({
      ...operator,
      factory: {
        ...operator.factory,
        create: (own, { context, output }) =>
          operator.factory.create(own, { context, output: mortalOutput(output) }),
      },
    })),
  };
}

function mortalOutput(output: Output<unknown>): Output<never> {
  return {
    processElement(value, timestamp) {
      event();
      output.processElement(value, timestamp);
      event();
    },
    processWatermark(watermark) {
      event();
      output.processWatermark(watermark);
      event();
    },
    processWatermarkStatus(status) {
      output.processWatermarkStatus(status);
    },
  };
}

serveStage({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  exit: (code) => process.exit(code),
  loadProgram: async ({ name }) => {
    // A user's print must not end up between the frames.
    // oxlint-disable-next-line no-console
    console.log(`the stage runs ${name}`);
    return mortal(present(stages[name], "the suite has the case"));
  },
});
