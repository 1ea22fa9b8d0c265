import { Component, type ComponentChildren } from "preact";

import type { Catalogue } from "../text/english.ts";
import { errorMessage } from "../text/error-message.ts";

interface BoundaryProps {
  readonly text: Catalogue;
  readonly children: ComponentChildren;
}

/** Keeps a fault in one view from taking the page with it. */
export class ErrorBoundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined };

  static override getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ComponentChildren {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div class="empty" role="alert">
        <h2>{this.props.text.failedToLoad}</h2>
        <p class="mono">{errorMessage(this.state.error)}</p>
      </div>
    );
  }
}
