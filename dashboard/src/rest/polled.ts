import { useEffect, useRef, useState } from "preact/hooks";

import { usePage } from "../page-context.ts";
import { nextCallAfterMs } from "./retry.ts";

/** What is known of something that is asked for again and again. */
export interface Polled<T> {
  /** The newest answer; it stays when a later call fails. */
  readonly data: T | undefined;
  /** Why the last call failed; undefined if it did not. */
  readonly error: unknown;
  readonly loadedAtMs: number | undefined;
}

/** Flink's web UI asks as often. */
const INTERVAL_MS = 3_000;

/**
 * Asks at once, then every three seconds while the page is visible, and at once again when something is known to have
 * changed. Calls that fail come at growing distances.
 *
 * @param key - What is asked for: another key forgets the answers and starts anew.
 */
export function usePolled<T>(
  key: string,
  load: (abort: AbortSignal) => Promise<T>,
  intervalMs: number = INTERVAL_MS,
): Polled<T> {
  const page = usePage();
  const [polled, setPolled] = useState<Polled<T> & { readonly key: string }>(() => nothingOf(key));
  const newest = useRef(load);
  newest.current = load;

  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failedCount = 0;
    let isAsking = false;
    const ask = async (): Promise<void> => {
      clearTimeout(timer);
      if (isAsking || abort.signal.aborted) return;
      isAsking = true;
      try {
        const data = await newest.current(abort.signal);
        failedCount = 0;
        if (!abort.signal.aborted)
          setPolled({ key, data, error: undefined, loadedAtMs: Date.now() });
      } catch (error) {
        failedCount++;
        if (!abort.signal.aborted)
          setPolled((last) => ({ ...(last.key === key ? last : nothingOf(key)), error }));
      }
      isAsking = false;
      if (abort.signal.aborted || document.hidden) return;
      const afterMs = nextCallAfterMs(intervalMs, failedCount);
      if (failedCount > 0) page.retryAt(Date.now() + afterMs);
      timer = setTimeout(() => void ask(), afterMs);
    };
    const onVisible = (): void => {
      if (!document.hidden) void ask();
    };
    let isFirst = true;
    const unsubscribe = page.changes.subscribe(() => {
      if (isFirst) isFirst = false;
      else void ask();
    });
    document.addEventListener("visibilitychange", onVisible);
    void ask();
    return () => {
      abort.abort();
      clearTimeout(timer);
      unsubscribe();
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [key, intervalMs, page]);

  return polled.key === key ? polled : nothingOf(key);
}

function nothingOf<T>(key: string): Polled<T> & { readonly key: string } {
  return { key, data: undefined, error: undefined, loadedAtMs: undefined };
}
