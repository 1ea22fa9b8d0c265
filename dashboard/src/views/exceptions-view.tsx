import type { JSX } from "preact";

import { booleanIn, field, listIn, numberIn, textIn } from "../model/json.ts";
import { usePage, useText } from "../page-context.ts";
import { Awaited, Empty } from "../parts/empty.tsx";
import { usePolled } from "../rest/polled.ts";
import { dayAndTime } from "../text/format.ts";

interface ExceptionEntry {
  readonly name: string;
  readonly stackTrace: string;
  readonly atMs: number | undefined;
  readonly task: string | undefined;
  readonly host: string | undefined;
  readonly concurrent: readonly ExceptionEntry[];
}

function entryOf(entry: unknown): ExceptionEntry {
  return {
    name: textIn(entry, "exceptionName") ?? "",
    stackTrace: textIn(entry, "stacktrace") ?? "",
    atMs: numberIn(entry, "timestamp"),
    task: textIn(entry, "taskName"),
    host: textIn(entry, "endpoint") ?? textIn(entry, "location"),
    concurrent: listIn(entry, "concurrentExceptions").map(entryOf),
  };
}

const QUERY = "exceptions?maxExceptions=20";

/** Before each error behind another, in a stack trace of Java's form. */
const CAUSED_BY = "Caused by: ";

/** The failures of the job, newest first. */
export function ExceptionsView({ jobId }: { readonly jobId: string }): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const polled = usePolled(`exceptions ${jobId}`, async (abort) => {
    const history = field(await client.get(`jobs/${jobId}/${QUERY}`, abort), "exceptionHistory");
    return {
      entries: listIn(history, "entries").map(entryOf),
      isTruncated: booleanIn(history, "truncated"),
    };
  });
  if (polled.data === undefined) return <Awaited error={polled.error} />;
  const { entries, isTruncated } = polled.data;
  if (entries.length === 0) return <Empty title={text.noExceptions} hint={text.noExceptionsHint} />;
  return (
    <>
      {entries.map((entry, index) => (
        <ExceptionCard key={`${entry.atMs} ${index}`} entry={entry} isOpen={index === 0} />
      ))}
      {isTruncated && <p class="faint">{text.truncated}</p>}
    </>
  );
}

function ExceptionCard({
  entry,
  isOpen,
}: {
  readonly entry: ExceptionEntry;
  readonly isOpen: boolean;
}): JSX.Element {
  const text = useText();
  const [headline = entry.name, ...lines] = entry.stackTrace.split("\n");
  const root = lines.findLast((line) => line.startsWith(CAUSED_BY))?.slice(CAUSED_BY.length);
  return (
    <section class="card">
      <h2 class="exception-headline mono">{headline}</h2>
      {root !== undefined && (
        <p class="exception-cause">
          {text.cause} <span class="mono">{root}</span>
        </p>
      )}
      <p class="facts">
        <span>{dayAndTime(entry.atMs)}</span>
        {entry.task !== undefined && <span>{entry.task}</span>}
        {entry.host !== undefined && <span class="mono">{entry.host}</span>}
      </p>
      <details open={isOpen} class="as-table">
        <summary>{text.stackTrace}</summary>
        <pre tabIndex={0} role="group" aria-label={text.stackTrace}>
          {entry.stackTrace}
        </pre>
      </details>
      {entry.concurrent.map((other, index) => (
        <ExceptionCard key={index} entry={other} isOpen={false} />
      ))}
    </section>
  );
}
