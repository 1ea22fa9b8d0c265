import { defineJob, printSink } from "cutwater";

/** Takes all the processor that it gets, and prints nothing. */
export default defineJob("busy", (env) => {
  env
    .fromGenerator((index) => index)
    .keyBy((value) => value % 1000)
    .reduce((a, b) => Math.max(a, b))
    .filter((value) => value < 0)
    .sinkTo(printSink());
});
