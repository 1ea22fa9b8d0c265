import { field, textIn } from "../model/json.ts";
import type { RestClient } from "./rest-client.ts";

export type JobAction =
  | { readonly kind: "checkpoint" }
  | {
      readonly kind: "savepoint";
      readonly targetDirectory: string;
      readonly format: "CANONICAL" | "NATIVE";
    }
  | {
      readonly kind: "stop";
      readonly targetDirectory: string;
      readonly format: "CANONICAL" | "NATIVE";
      readonly drain: boolean;
    }
  | { readonly kind: "cancel" };

export interface ActionCall {
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Where the operation's state is asked for, once its request id is known; undefined if it is done with the call. */
  readonly statusFolder: string | undefined;
}

/** The call that starts an action, in Flink's spelling. An empty directory is left out: the configured one is used. */
export function callOf(jobId: string, action: JobAction): ActionCall {
  const job = `jobs/${jobId}`;
  switch (action.kind) {
    case "checkpoint":
      return {
        method: "POST",
        path: `${job}/checkpoints`,
        body: { checkpointType: "CONFIGURED" },
        statusFolder: `${job}/checkpoints`,
      };
    case "savepoint":
      return {
        method: "POST",
        path: `${job}/savepoints`,
        body: {
          "cancel-job": false,
          formatType: action.format,
          ...(action.targetDirectory === "" ? {} : { "target-directory": action.targetDirectory }),
        },
        statusFolder: `${job}/savepoints`,
      };
    case "stop":
      return {
        method: "POST",
        path: `${job}/stop`,
        body: {
          drain: action.drain,
          formatType: action.format,
          ...(action.targetDirectory === "" ? {} : { targetDirectory: action.targetDirectory }),
        },
        statusFolder: `${job}/savepoints`,
      };
    case "cancel":
      return {
        method: "PATCH",
        path: `${job}?mode=cancel`,
        body: undefined,
        statusFolder: undefined,
      };
  }
}

export type OperationState =
  | { readonly kind: "running" }
  | { readonly kind: "done"; readonly location: string }
  | { readonly kind: "failed"; readonly reason: string };

/** Names of exceptions around the one that says something. */
const JAVA_CLASSES = /^(?:[\w.$]+(?:Exception|Error): )+/;

/** Reads the state of an asynchronous operation. The first line of a failure's stack trace says what it was. */
export function operationStateOf(answer: unknown): OperationState {
  if (textIn(field(answer, "status"), "id") !== "COMPLETED") return { kind: "running" };
  const operation = field(answer, "operation");
  const failure = field(operation, "failure-cause") ?? field(operation, "failureCause");
  if (typeof failure === "object" && failure !== null) {
    const [line = ""] = (textIn(failure, "stack-trace") ?? textIn(failure, "class") ?? "").split(
      "\n",
    );
    return { kind: "failed", reason: line.replace(JAVA_CLASSES, "") };
  }
  return { kind: "done", location: textIn(operation, "location") ?? "" };
}

const POLL_MS = 500;

/** Carries an action out and waits for its end. */
export async function carryOut(
  client: RestClient,
  jobId: string,
  action: JobAction,
  onRequested: () => void,
): Promise<Exclude<OperationState, { kind: "running" }>> {
  const call = callOf(jobId, action);
  const answer = await client.send(call.method, call.path, call.body);
  const requestId = textIn(answer, "request-id");
  if (call.statusFolder === undefined || requestId === undefined)
    return { kind: "done", location: "" };
  onRequested();
  for (;;) {
    const state = operationStateOf(await client.get(`${call.statusFolder}/${requestId}`));
    if (state.kind !== "running") return state;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
