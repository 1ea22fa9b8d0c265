import type { JSX } from "preact";

import { type Finding, findingsOf } from "../model/findings.ts";
import { usePage, useText } from "../page-context.ts";
import { Awaited, Empty } from "../parts/empty.tsx";
import { orNull } from "../rest/job-queries.ts";
import { usePolled } from "../rest/polled.ts";
import { formatRoute, jobRoute } from "../route.ts";
import { percent } from "../text/format.ts";

/** What the doctor says of the job, live. */
export function DoctorView({ jobId }: { readonly jobId: string }): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const language = document.documentElement.lang.slice(0, 2);
  const polled = usePolled(`findings ${jobId} ${language}`, async (abort) => {
    if (!client.has("findings")) return null;
    const answer = await orNull(
      client.get(`cutwater/findings/${jobId}?language=${language}`, abort),
    );
    return answer === null ? null : findingsOf(answer);
  });
  if (polled.data === null)
    return <Empty title={text.doctorUnavailable} hint={text.doctorUnavailableHint} />;
  if (polled.data === undefined) return <Awaited error={polled.error} />;
  const { findings, ruledOut, notAssessed, text: summary } = polled.data;
  return (
    <>
      <div class={`card verdict ${findings.length === 0 ? "COMPLETED" : "FAILED"}`} role="status">
        <p class="verdict-headline">
          {summary ?? (findings.length === 0 ? text.doctorHealthy : findings[0]?.text)}
        </p>
      </div>
      {findings.map((finding, index) => (
        <FindingCard key={`${finding.cause} ${index}`} jobId={jobId} finding={finding} />
      ))}
      <Others title={text.ruledOut} entries={ruledOut} />
      <Others title={text.notAssessed} entries={notAssessed} />
    </>
  );
}

function FindingCard({
  jobId,
  finding,
}: {
  readonly jobId: string;
  readonly finding: Finding;
}): JSX.Element {
  const text = useText();
  return (
    <section class="card finding" data-cause={finding.cause}>
      <div class="card-head">
        <h2>
          <code>{finding.cause}</code>
        </h2>
        <span class="badge">{text.confidence(percent(finding.confidence))}</span>
      </div>
      <p class="finding-text">{finding.text}</p>
      {finding.subjects.length > 0 && (
        <dl class="fact-grid">
          {finding.subjects.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {finding.remedies.length > 0 && (
        <>
          <h3>{text.remedies}</h3>
          <ul class="remedies">
            {finding.remedies.map(({ key, current, proposed }) => (
              <li key={key}>
                <code>{key}</code>
                {proposed !== undefined && <b> → {proposed}</b>}
                {current !== undefined && <span class="faint"> ({text.remedyNow(current)})</span>}
              </li>
            ))}
          </ul>
        </>
      )}
      {finding.evidence.length > 0 && (
        <>
          <h3>{text.evidence}</h3>
          <ul class="evidence">
            {finding.evidence.map((line, index) => (
              <li key={index}>
                <span class="mono faint">
                  {line.line === undefined ? line.source : `${line.source}:${line.line}`}
                </span>
                <span class="mono evidence-text">{line.text}</span>
                {line.checkpointId !== undefined && (
                  <a href={formatRoute(jobRoute(jobId, "checkpoints", line.checkpointId))}>
                    {text.openCheckpoint(line.checkpointId)}
                  </a>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Others({
  title,
  entries,
}: {
  readonly title: string;
  readonly entries: readonly string[];
}): JSX.Element | null {
  if (entries.length === 0) return null;
  return (
    <details class="card as-table">
      <summary>
        {title} ({entries.length})
      </summary>
      <ul class="other-findings">
        {entries.map((entry) => (
          <li key={entry}>{entry}</li>
        ))}
      </ul>
    </details>
  );
}
