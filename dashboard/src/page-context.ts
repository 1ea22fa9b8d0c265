import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Signal } from "@preact/signals";

import type { RestClient } from "./rest/rest-client.ts";
import type { Route } from "./route.ts";
import type { Catalogue } from "./text/english.ts";

/** A message on the progress or the outcome of an action. */
export interface Notice {
  readonly id: number;
  readonly tone: "progress" | "good" | "bad";
  readonly text: string;
}

/** What every part of the page shares. */
export interface Page {
  readonly client: RestClient;
  readonly text: Signal<Catalogue>;
  readonly route: Signal<Route>;
  /** Counts up whenever the server, or an action of the reader, has changed something. */
  readonly changes: Signal<number>;
  readonly notices: Signal<readonly Notice[]>;
  /** When the next call is tried while the server is away, in milliseconds since the epoch. */
  readonly nextTryAtMs: Signal<number>;
  retryAt(atMs: number): void;
  go(route: Route): void;
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("Internal error: a part stands outside of the page.");
  return page;
}

/** The texts in the reader's language. */
export function useText(): Catalogue {
  return usePage().text.value;
}
