import type { JSX } from "preact";

import { useText } from "../page-context.ts";

type Tone = "good" | "bad" | "going" | "idle";

const TONES: Readonly<Record<string, Tone>> = {
  RUNNING: "good",
  FINISHED: "idle",
  CANCELED: "idle",
  FAILED: "bad",
  FAILING: "bad",
};

/** The state of a job or task, as a word and a colour. */
export function StatusPill({ state }: { readonly state: string }): JSX.Element {
  const text = useText();
  return (
    <span class={`pill ${TONES[state] ?? "going"}`} data-state={state}>
      {text.states[state] ?? state}
    </span>
  );
}
