import { StreamError } from "../../base/index.ts";

/**
 * Refuses `async` functions where a value is needed at once: the promise would be taken for the value, or its work be done after the record
 * counts as done, which no checkpoint covers.
 *
 * @param what - Whose functions these are, for the error: `map`.
 * @param functions - Functions by their names; what is no function is passed over.
 * @throws StreamError PARAMETER_INVALID.
 */
export function requireSynchronous(what: string, functions: object): void {
  for (const name of METHODS) {
    const method: unknown = (functions as Readonly<Record<string, unknown>>)[name];
    if (typeof method === "function") requireSynchronousFunction(`${name} of ${what}`, method);
  }
}

/**
 * {@link requireSynchronous} for one function. Refuses objects, too: job files run without a check of types, and some look for `MapFunction`
 * to be an interface, as in Flink.
 */
export function requireSynchronousFunction(what: string, given: unknown): void {
  if (typeof given === "object" && given !== null) {
    throw new StreamError("PARAMETER_INVALID", {
      what,
      problem:
        "it is an object where a function is needed; what has open or metrics goes to process",
    });
  }
  if (typeof given !== "function" || !ASYNC.has(given.constructor.name)) return;
  throw new StreamError("PARAMETER_INVALID", {
    what,
    problem: "it is an async function, and its result is needed before the next record",
  });
}

const ASYNC: ReadonlySet<string> = new Set(["AsyncFunction", "AsyncGeneratorFunction"]);

/** Every method of a user's function object that is called in the middle of a record, a timer or a snapshot. */
const METHODS: readonly string[] = [
  "processElement",
  "processElement1",
  "processElement2",
  "processBroadcastElement",
  "onTimer",
  "initializeState",
  "snapshotState",
  "notifyCheckpointAborted",
  "process",
  "clear",
  "createAccumulator",
  "add",
  "getResult",
  "merge",
];
