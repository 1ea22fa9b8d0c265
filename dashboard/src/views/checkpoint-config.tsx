import type { JSX } from "preact";

import { numberIn, textIn } from "../model/json.ts";
import { usePage, useText } from "../page-context.ts";
import { orNull } from "../rest/job-queries.ts";
import { usePolled } from "../rest/polled.ts";
import { duration } from "../text/format.ts";

const INTERVAL_MS = 60_000;

/** How the job's checkpoints are configured, in a line. */
export function CheckpointConfig({ jobId }: { readonly jobId: string }): JSX.Element | null {
  const { client } = usePage();
  const text = useText();
  const config = usePolled(
    `checkpoint config ${jobId}`,
    (abort) => orNull(client.get(`jobs/${jobId}/checkpoints/config`, abort)),
    INTERVAL_MS,
  );
  if (config.data === undefined || config.data === null) return null;
  const facts: readonly (readonly [string, string])[] = [
    [text.mode, textIn(config.data, "mode") ?? "–"],
    [text.interval, duration(numberIn(config.data, "interval"))],
    [text.timeout, duration(numberIn(config.data, "timeout"))],
    [text.minPause, duration(numberIn(config.data, "min_pause"))],
  ];
  return (
    <p class="facts">
      {facts.map(([name, value]) => (
        <span key={name}>
          {name} <b>{value}</b>
        </span>
      ))}
    </p>
  );
}
