import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { listIn, numberIn, textIn } from "../model/json.ts";
import { usePage, useText } from "../page-context.ts";
import { isMissing } from "../rest/rest-client.ts";
import { errorMessage } from "../text/error-message.ts";
import { bytes, count } from "../text/format.ts";

interface CheckpointInspectionProps {
  readonly jobId: string;
  readonly checkpointId: number;
}

type Inspection =
  | { readonly kind: "closed" }
  | { readonly kind: "loading" }
  | { readonly kind: "open"; readonly answer: unknown }
  | { readonly kind: "failed"; readonly message: string };

/** What lies in a completed checkpoint; asked for only when somebody wants to see it. */
export function CheckpointInspection({
  jobId,
  checkpointId,
}: CheckpointInspectionProps): JSX.Element | null {
  const { client } = usePage();
  const text = useText();
  const [inspection, setInspection] = useState<Inspection>({ kind: "closed" });
  const open = async (): Promise<void> => {
    setInspection({ kind: "loading" });
    try {
      const answer = await client.get(`cutwater/inspect/${jobId}/${checkpointId}`);
      setInspection({ kind: "open", answer });
    } catch (error) {
      const message = isMissing(error) ? text.inspectMissing : errorMessage(error);
      setInspection({ kind: "failed", message });
    }
  };
  if (!client.has("inspect")) return null;
  return (
    <section class="card" aria-labelledby="inspect-title">
      <div class="card-head">
        <h2 id="inspect-title">{text.inspect}</h2>
        {inspection.kind === "closed" && (
          <button type="button" data-test="inspect" onClick={() => void open()}>
            {text.details}
          </button>
        )}
      </div>
      {inspection.kind === "closed" && <p class="faint">{text.inspectHint}</p>}
      {inspection.kind === "loading" && <p class="awaited">{text.loading}</p>}
      {inspection.kind === "failed" && <p role="status">{inspection.message}</p>}
      {inspection.kind === "open" && <Contents answer={inspection.answer} />}
    </section>
  );
}

function Contents({ answer }: { readonly answer: unknown }): JSX.Element {
  const text = useText();
  const states = listIn(answer, "operators").flatMap((operator) =>
    listIn(operator, "states").map((state) => ({
      operator: textIn(operator, "name") ?? textIn(operator, "operatorId") ?? "",
      uid: textIn(operator, "uid"),
      name: textIn(state, "name") ?? "",
      kind: textIn(state, "kind") ?? "",
      type: textIn(state, "type") ?? "",
      entryCount: numberIn(state, "entryCount"),
      sizeBytes: numberIn(state, "sizeBytes"),
    })),
  );
  return (
    <div class="scroll" tabIndex={0} role="group" aria-labelledby="inspect-title">
      <table class="list dense">
        <thead>
          <tr>
            <th scope="col">{text.operator}</th>
            <th scope="col">{text.stateName}</th>
            <th scope="col">{text.stateKind}</th>
            <th scope="col">{text.stateType}</th>
            <th scope="col" class="number">
              {text.entries}
            </th>
            <th scope="col" class="number">
              {text.stateSize}
            </th>
          </tr>
        </thead>
        <tbody>
          {states.map((state) => (
            <tr key={`${state.operator} ${state.name}`}>
              <th scope="row">
                {state.operator}{" "}
                {state.uid !== undefined && <span class="mono faint">{state.uid}</span>}
              </th>
              <td class="mono">{state.name}</td>
              <td>{state.kind}</td>
              <td class="mono">{state.type}</td>
              <td class="number">{count(state.entryCount)}</td>
              <td class="number">{bytes(state.sizeBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
