import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { listIn, numberIn, textIn } from "../model/json.ts";
import { usePage, useText } from "../page-context.ts";
import { Awaited, Empty } from "../parts/empty.tsx";
import { orNull } from "../rest/job-queries.ts";
import { usePolled } from "../rest/polled.ts";
import { bytes } from "../text/format.ts";

const INTERVAL_MS = 10_000;
/** How much of the end of a file is shown, in characters. */
const TAIL = 200_000;

/** The log files of the job manager. */
export function LogsView(): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const polled = usePolled(
    "logs",
    async (abort) => {
      const answer = await orNull(client.get("jobmanager/logs", abort));
      return listIn(answer, "logs").map((log) => ({
        name: textIn(log, "name") ?? "",
        sizeBytes: numberIn(log, "size"),
      }));
    },
    INTERVAL_MS,
  );
  if (polled.data === undefined) return <Awaited error={polled.error} />;
  const [first] = polled.data;
  if (first === undefined) return <Empty title={text.noLogs} />;
  const name = chosen ?? first.name;
  return (
    <section class="card" aria-labelledby="logs-title">
      <div class="card-head">
        <h2 id="logs-title">{text.logs}</h2>
        <label class="compare">
          {text.logFiles}
          <select value={name} onChange={(event) => setChosen(event.currentTarget.value)}>
            {polled.data.map((log) => (
              <option key={log.name} value={log.name} class="log-file">
                {`${log.name} · ${bytes(log.sizeBytes)}`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <LogFile name={name} />
    </section>
  );
}

function LogFile({ name }: { readonly name: string }): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const polled = usePolled(
    `log ${name}`,
    (abort) => client.getText(`jobmanager/logs/${encodeURIComponent(name)}`, abort),
    INTERVAL_MS,
  );
  if (polled.data === undefined) return <Awaited error={polled.error} />;
  return (
    <>
      {polled.data.length > TAIL && <p class="faint">{text.logTail}</p>}
      <pre class="log" tabIndex={0} role="group" aria-label={name}>
        {polled.data.slice(-TAIL)}
      </pre>
    </>
  );
}
