import type { JSX } from "preact";

import { type Finding, type Findings, findingsOf } from "../model/findings.ts";
import { usePage, useText } from "../page-context.ts";
import { Awaited, Empty } from "../parts/empty.tsx";
import { orNull } from "../rest/job-queries.ts";
import { usePolled } from "../rest/polled.ts";
import { formatRoute, jobRoute } from "../route.ts";
import type { Catalogue } from "../text/english.ts";
import { percent } from "../text/format.ts";

/** What the doctor says of the job, live. */
export function DoctorView({ jobId }: { readonly jobId: string }): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const polled = usePolled(`findings ${jobId} ${text.tag}`, async (abort) => {
    if (!client.has("findings")) return null;
    const path = `cutwater/findings/${jobId}?language=${text.tag}`;
    const answer = await orNull(client.get(path, abort));
    return answer === null ? null : findingsOf(answer);
  });
  if (polled.data === null) {
    return <Empty title={text.doctorUnavailable} hint={text.doctorUnavailableHint} />;
  }
  if (polled.data === undefined) return <Awaited error={polled.error} />;
  const { verdict, findings, ruledOut, notAssessed, wouldSettle } = polled.data;
  return (
    <>
      <div class={`card verdict ${BOXES[verdict]}`} role="status">
        <p class="verdict-headline">{headline(text, polled.data)}</p>
        {wouldSettle.length > 0 && <p>{text.wouldSettle(needsText(text, wouldSettle))}</p>}
      </div>
      {findings.map((finding, index) => (
        <FindingCard key={`${finding.cause} ${index}`} jobId={jobId} finding={finding} />
      ))}
      <Others
        title={text.ruledOut}
        entries={ruledOut.map(({ cause, because }) => [
          cause,
          because === undefined ? "" : text.because[because],
        ])}
      />
      <Others
        title={text.notAssessed}
        entries={notAssessed.map(({ cause, needs }) => [cause, needsText(text, needs)])}
      />
    </>
  );
}

const BOXES: Readonly<Record<Findings["verdict"], string>> = {
  cause: "FAILED",
  healthy: "COMPLETED",
  undetermined: "IN_PROGRESS",
};

function headline(text: Catalogue, { verdict, findings }: Findings): string {
  if (verdict === "healthy")
    return findings.length === 0 ? text.doctorHealthy : text.doctorImprovable;
  return verdict === "cause" && findings.length > 0
    ? text.doctorCause(findings.length)
    : text.doctorUndetermined;
}

function needsText(text: Catalogue, needs: Findings["wouldSettle"]): string {
  return needs.map((need) => text.needs[need]).join(text.listSeparator);
}

interface FindingCardProps {
  readonly jobId: string;
  readonly finding: Finding;
}

function FindingCard({ jobId, finding }: FindingCardProps): JSX.Element {
  const text = useText();
  const { title, why, fix, cause, confidence, subjects, remedies } = finding;
  return (
    <section class="card finding" data-cause={cause}>
      <div class="card-head">
        <h2>{title}</h2>
        <span class="badge">{text.confidence(percent(confidence))}</span>
      </div>
      <p>
        <code class="faint">{cause}</code>
      </p>
      {why !== undefined && <p class="finding-text">{why}</p>}
      {subjects.length > 0 && (
        <dl class="fact-grid">
          {subjects.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {(fix !== undefined || remedies.length > 0) && <h3>{text.remedies}</h3>}
      {fix !== undefined && <p>{fix}</p>}
      <ul class="remedies">
        {remedies.map(({ key, current, proposed }) => (
          <li key={key}>
            <code>{key}</code>
            {proposed !== undefined && <b> → {proposed}</b>}
            {current !== undefined && <span class="faint"> ({text.remedyNow(current)})</span>}
          </li>
        ))}
      </ul>
      <Evidence jobId={jobId} finding={finding} />
    </section>
  );
}

function Evidence({ jobId, finding: { evidence } }: FindingCardProps): JSX.Element | null {
  const text = useText();
  if (evidence.length === 0) return null;
  return (
    <>
      <h3>{text.evidence}</h3>
      <ul class="evidence">
        {evidence.map((line, index) => (
          <li key={index}>
            <span class="mono faint">
              {line.line === undefined ? line.file : `${line.file}:${line.line}`}
            </span>
            <span class="mono evidence-text">
              {text.tag === "zh" ? (line.chinese ?? line.text) : line.text}
            </span>
            {line.vertexId !== undefined && (
              <a
                href={formatRoute({ ...jobRoute(jobId, "graph"), vertexId: line.vertexId })}
                data-test="evidence-vertex"
              >
                {text.openInGraph}
              </a>
            )}
            {line.checkpointId !== undefined && (
              <a href={formatRoute(jobRoute(jobId, "checkpoints", line.checkpointId))}>
                {text.openCheckpoint(line.checkpointId)}
              </a>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

interface OthersProps {
  readonly title: string;
  readonly entries: readonly (readonly [cause: string, remark: string])[];
}

function Others({ title, entries }: OthersProps): JSX.Element | null {
  if (entries.length === 0) return null;
  return (
    <details class="card as-table">
      <summary>
        {title} ({entries.length})
      </summary>
      <ul class="remedies">
        {entries.map(([cause, remark]) => (
          <li key={cause}>
            <code>{cause}</code> <span class="faint">{remark}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
