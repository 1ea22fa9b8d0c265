import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { usePage, useText } from "../page-context.ts";

/** Says that the server is away, and when it is tried again. What is known stays on the page. */
export function ConnectionBanner(): JSX.Element | null {
  const { client, nextTryAtMs } = usePage();
  const text = useText();
  const isAway = client.reachability.value === "unreachable";
  const nowMs = useNow(isAway);
  if (!isAway) return null;
  const seconds = Math.ceil((nextTryAtMs.value - nowMs) / 1_000);
  return (
    <p class="banner away" role="status">
      <span class="spinner" aria-hidden="true" />
      <span class="unseen">{text.reconnecting(0)}</span>
      <span aria-hidden="true">{text.reconnecting(seconds)}</span>
    </p>
  );
}

/** The present moment, renewed each second while it is wanted. */
export function useNow(isWanted: boolean): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!isWanted) return;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isWanted]);
  return nowMs;
}
