import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { type ConfiguredOption, flinkOptionsOf, optionsOf } from "../model/configuration.ts";
import { usePage, useText } from "../page-context.ts";
import { Awaited } from "../parts/empty.tsx";
import { orNull } from "../rest/job-queries.ts";
import { usePolled } from "../rest/polled.ts";

const INTERVAL_MS = 30_000;

/** The options in force, each with where its value came from. */
export function ConfigurationView({ jobId }: { readonly jobId: string }): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const [filter, setFilter] = useState("");
  const polled = usePolled(
    `configuration ${jobId}`,
    async (abort) => {
      const own = client.has("config")
        ? await orNull(client.get(`cutwater/config/${jobId}`, abort))
        : null;
      if (own !== null) return { options: optionsOf(own), hasOrigins: true };
      const [job, cluster] = await Promise.all([
        orNull(client.get(`jobs/${jobId}/config`, abort)),
        orNull(client.get("jobmanager/config", abort)),
      ]);
      return { options: flinkOptionsOf(job, cluster), hasOrigins: false };
    },
    INTERVAL_MS,
  );
  if (polled.data === undefined) return <Awaited error={polled.error} />;
  const { options, hasOrigins } = polled.data;
  const wanted = filter.trim().toLowerCase();
  const shown = options.filter(({ key, value }) =>
    `${key} ${value}`.toLowerCase().includes(wanted),
  );
  return (
    <section class="card" aria-labelledby="configuration-title">
      <div class="card-head">
        <h2 id="configuration-title">{text.configuration}</h2>
        <label class="filter">
          {text.filter}
          <input
            type="search"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
      </div>
      {!hasOrigins && <p class="faint">{text.originsUnknown}</p>}
      {shown.length === 0 ? (
        <p>{text.noOptions}</p>
      ) : (
        <OptionsTable options={shown} hasOrigins={hasOrigins} />
      )}
    </section>
  );
}

interface OptionsTableProps {
  readonly options: readonly ConfiguredOption[];
  readonly hasOrigins: boolean;
}

function OptionsTable({ options, hasOrigins }: OptionsTableProps): JSX.Element {
  const text = useText();
  return (
    <div class="scroll" tabIndex={0} role="group" aria-labelledby="configuration-title">
      <table class="list dense options">
        <thead>
          <tr>
            <th scope="col">{text.option}</th>
            <th scope="col">{text.value}</th>
            {hasOrigins && <th scope="col">{text.origin}</th>}
          </tr>
        </thead>
        <tbody>
          {options.map(({ key, value, origin, place }, index) => (
            <tr key={`${key} ${index}`} class={origin === "default" ? "is-default" : ""}>
              <th scope="row" class="mono">
                {key}
              </th>
              <td class="mono">{value}</td>
              {hasOrigins && (
                <td>
                  {origin !== undefined && (
                    <span class={`badge origin-${origin}`}>{text.origins[origin]}</span>
                  )}{" "}
                  {place !== undefined && <span class="mono faint">{place}</span>}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
