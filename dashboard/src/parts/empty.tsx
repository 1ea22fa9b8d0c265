import type { ComponentChildren, JSX } from "preact";

import { useText } from "../page-context.ts";
import { errorMessage } from "../text/error-message.ts";

interface EmptyProps {
  readonly title: string;
  readonly hint?: string;
  readonly children?: ComponentChildren;
}

/** Stands where there is nothing to show, and says why. */
export function Empty({ title, hint, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {hint !== undefined && <p>{hint}</p>}
      {children}
    </div>
  );
}

/** Stands where something is still on its way, or could not be loaded. */
export function Awaited({ error }: { readonly error: unknown }): JSX.Element {
  const text = useText();
  if (error === undefined) return <p class="awaited">{text.loading}</p>;
  return <Empty title={text.failedToLoad} hint={errorMessage(error)} />;
}
