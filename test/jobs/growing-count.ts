import { defineJob, fileSink, fileSource, ndjson, type Of, Types } from "cutwater";

const Line = Types.struct({ key: Types.string(), number: Types.int() });
const Count = Types.struct({ key: Types.string(), count: Types.int() });
type Count = Of<typeof Count>;

/** Counts the lines of a growing file per key; each line gives the count so far. Arguments: the file's folder, the output's folder. */
export default defineJob("growing-count", (env, [input = "in", output = "out"]) => {
  env
    .fromSource(fileSource(input, ndjson(Line), { watch: "20 ms" }))
    .uid("lines")
    .map((line): Count => ({ key: line.key, count: 1 }), { returns: Count })
    .keyBy("key")
    .reduce((a, b) => ({ key: a.key, count: a.count + b.count }))
    .uid("counts")
    .sinkTo(fileSink(output, ndjson(Count)))
    .uid("counts-out");
});
