import { computed, effect, signal } from "@preact/signals";

import type { Notice, Page } from "./page-context.ts";
import type { Preferences } from "./preferences.ts";
import { resolveAddress } from "./rest/base-address.ts";
import { RestClient } from "./rest/rest-client.ts";
import { listenForChanges } from "./rest/server-events.ts";
import { formatRoute, parseRoute, type Route } from "./route.ts";
import { CHINESE } from "./text/chinese.ts";
import { ENGLISH } from "./text/english.ts";

export interface CreatedPage {
  readonly page: Page;
  /** Where the saved history lies that the page was asked to open. */
  readonly historyHref: string | undefined;
  /** True if an address was given that is not on this server. */
  readonly isAddressRefused: boolean;
}

/** Puts together what the parts of the page share, from the address it was opened with. */
export function createPage(preferences: Preferences): CreatedPage {
  const query = new URLSearchParams(location.search);
  const rest = resolveAddress(query.get("rest"), document.baseURI, true);
  const historyPath = query.get("history");
  const history =
    historyPath === null ? undefined : resolveAddress(historyPath, document.baseURI, false);
  const base = rest.kind === "accepted" ? rest.href : new URL(".", document.baseURI).href;
  const isHistoryAlone = historyPath !== null && query.get("rest") === null;
  const route = signal<Route>(firstRoute(isHistoryAlone));
  const changes = signal(0);
  const nextTryAtMs = signal(0);
  const client = new RestClient(base);
  const page: Page = {
    client,
    text: computed(() => (preferences.language.value === "zh" ? CHINESE : ENGLISH)),
    route,
    changes,
    notices: signal<readonly Notice[]>([]),
    nextTryAtMs,
    retryAt: (atMs) => {
      nextTryAtMs.value = atMs;
    },
    go: (next) => {
      location.hash = formatRoute(next);
    },
  };
  addEventListener("hashchange", () => {
    route.value = parseRoute(location.hash);
  });
  if (!isHistoryAlone) listenIfOffered(client, () => changes.value++);
  return {
    page,
    historyHref: history?.kind === "accepted" ? history.href : undefined,
    isAddressRefused: rest.kind === "refused" || history?.kind === "refused",
  };
}

function firstRoute(isHistoryAlone: boolean): Route {
  const route = parseRoute(location.hash);
  const isDefault = route.view === "jobs" && isHistoryAlone;
  return isDefault ? { view: "history", checkpointId: undefined, compareId: undefined } : route;
}

/** A Flink has no events: it is not asked for them. */
function listenIfOffered(client: RestClient, onChange: () => void): void {
  let isListening = false;
  effect(() => {
    if (isListening || !client.has("events")) return;
    isListening = true;
    listenForChanges(client, onChange);
  });
}
