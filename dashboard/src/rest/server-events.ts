import type { RestClient } from "./rest-client.ts";
import { nextCallAfterMs } from "./retry.ts";

/** Splits what arrived into the names of whole events, and what is left of an unfinished one. */
export function eventsIn(text: string): {
  readonly names: readonly string[];
  readonly rest: string;
} {
  const blocks = text.replaceAll("\r\n", "\n").split("\n\n");
  const rest = blocks.pop() ?? "";
  const names = blocks
    .map((block) => /^event: ?(.*)$/m.exec(block)?.[1] ?? (/^data:/m.test(block) ? "message" : ""))
    .filter((name) => name !== "");
  return { names, rest };
}

/**
 * Listens to `cutwater/events` and calls back whenever the server says that something changed. A server without it is
 * polled and nothing else. It is read with `fetch`, since an `EventSource` cannot carry a token.
 */
export function listenForChanges(client: RestClient, onChange: () => void): () => void {
  const abort = new AbortController();
  void keepListening(client, onChange, abort.signal);
  return () => abort.abort();
}

async function keepListening(
  client: RestClient,
  onChange: () => void,
  abort: AbortSignal,
): Promise<void> {
  let failedCount = 0;
  while (!abort.aborted) {
    try {
      const stream = await client.open("cutwater/events", abort);
      if (stream === null) return;
      failedCount = 0;
      await readEvents(stream, onChange);
    } catch (error) {
      if (error instanceof Error && error.name === "RestError") return;
    }
    failedCount++;
    await new Promise((resolve) => setTimeout(resolve, nextCallAfterMs(0, failedCount)));
  }
}

async function readEvents(stream: ReadableStream<Uint8Array>, onChange: () => void): Promise<void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const { names, rest } = eventsIn(text + decoder.decode(value, { stream: true }));
    text = rest;
    if (names.length > 0) onChange();
  }
}
