import type { Logger } from "../../base/index.ts";
import type { CheckpointObserver } from "../../checkpoint/index.ts";
import { checkpointFailureLine } from "./checkpoint-failure-line.ts";

export interface JobObserversParameters {
  readonly log: Logger;
  /** Stands in front of each line, where several jobs share a log. */
  readonly jobName?: string | undefined;
  /** The command that explains more of a failed checkpoint; asked for when one fails. */
  readonly explain: () => string;
}

/** Tells the log of each checkpoint that fails, in one line. */
export function checkpointFailureObserver(parameters: JobObserversParameters): CheckpointObserver {
  const { log, jobName, explain } = parameters;
  return {
    onEnded(record) {
      if (record.status !== "FAILED") return;
      const line = checkpointFailureLine(record, explain());
      if (line === undefined) return;
      log.log("WARN", jobName === undefined ? line : `${jobName}: ${line}`);
    },
  };
}

/**
 * Who tells OpenTelemetry of checkpoints, if the job's file, or what was loaded before it, has registered an SDK.
 *
 * @param log - Told if the SDK cannot be used.
 */
export async function telemetryObservers(log: Logger): Promise<readonly CheckpointObserver[]> {
  // Asked here, too: what speaks to the SDK is not loaded where there is none.
  if (!(Symbol.for("opentelemetry.js.api.1") in globalThis)) return [];
  const { telemetryObserver } = await import("../../server/index.ts");
  const observer = await telemetryObserver(log);
  return observer === undefined ? [] : [observer];
}
