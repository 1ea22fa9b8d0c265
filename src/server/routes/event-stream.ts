import type { ServerResponse } from "node:http";

import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";

import { RestError } from "../http/rest-error.ts";
import type { JobChange } from "../job-registry.ts";
import type { ServerContext } from "../server-context.ts";

/** Changes are told together, at most so often. */
const GATHER_MS = 100;

/** Time after which a line without meaning shows that the connection lives. */
const HEARTBEAT_MS = 15_000;

/** Open streams of one server. */
const MAX_STREAMS = 500;

const hubs = new WeakMap<ServerContext, EventHub>();

/**
 * Server-sent events: `job` and `checkpoint` with the id of the job that has changed. They say that something changed; what it is now is
 * asked for.
 *
 * @remarks
 * A client that reads slowly gets fewer events, never more memory: nothing is queued but one event of each kind and job.
 */
export function eventStream(c: Context, context: ServerContext): Response {
  const headers = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
  };
  if (c.req.method === "HEAD") return c.body(null, 200, headers);
  let hub = hubs.get(context);
  if (hub === undefined) {
    hub = new EventHub(context);
    hubs.set(context, hub);
  }
  if (hub.streamCount >= MAX_STREAMS) throw new RestError(503, "Too many event streams are open.");
  // Written past the app: a stream of the web's kind costs many times what a write does, for each stream and event.
  const { outgoing } = c.env as HttpBindings;
  outgoing.writeHead(200, headers);
  hub.add(outgoing as ServerResponse);
  return RESPONSE_ALREADY_SENT;
}

type Changes = Map<string, JobChange>;

/** All streams of one server: what is told is gathered and put into text once for all of them. */
class EventHub {
  readonly #context: ServerContext;
  readonly #streams = new Set<ServerResponse>();
  /** What those have yet to hear that have not taken what was sent. */
  readonly #behind = new Map<ServerResponse, Changes>();
  #pending: Changes = new Map();
  #stopListening: (() => void) | undefined;
  #cancelGather: (() => void) | undefined;
  #cancelHeartbeat: (() => void) | undefined;

  constructor(context: ServerContext) {
    this.#context = context;
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  add(stream: ServerResponse): void {
    this.#streams.add(stream);
    stream.on("close", () => this.#remove(stream));
    stream.on("drain", () => this.#catchUp(stream));
    stream.write("event: open\ndata: {}\n\n");
    if (this.#stopListening !== undefined) return;
    this.#stopListening = this.#context.registry.listen((change) => this.#note(change));
    this.#beat();
  }

  #remove(stream: ServerResponse): void {
    this.#streams.delete(stream);
    this.#behind.delete(stream);
    if (this.#streams.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#cancelGather?.();
    this.#cancelGather = undefined;
    this.#cancelHeartbeat?.();
    this.#pending.clear();
  }

  #note(change: JobChange): void {
    this.#pending.set(keyOf(change), change);
    this.#cancelGather ??= this.#context.platform.after(GATHER_MS, () => {
      this.#cancelGather = undefined;
      this.#tell();
    });
  }

  #tell(): void {
    const changes = this.#pending;
    this.#pending = new Map();
    const bytes = bytesOf(changes);
    for (const stream of this.#streams) {
      if (!stream.writableNeedDrain) stream.write(bytes);
      else this.#behind.set(stream, new Map([...(this.#behind.get(stream) ?? []), ...changes]));
    }
  }

  #catchUp(stream: ServerResponse): void {
    const changes = this.#behind.get(stream);
    if (changes === undefined) return;
    this.#behind.delete(stream);
    stream.write(bytesOf(changes));
  }

  #beat(): void {
    this.#cancelHeartbeat = this.#context.platform.after(HEARTBEAT_MS, () => {
      for (const stream of this.#streams)
        if (!stream.writableNeedDrain) stream.write(": alive\n\n");
      this.#beat();
    });
  }
}

function keyOf({ kind, jobId }: JobChange): string {
  return `${kind}/${jobId}`;
}

function bytesOf(changes: Changes): Uint8Array {
  const text = [...changes.values()].map(
    ({ kind, jobId }) => `event: ${kind}\ndata: ${JSON.stringify({ jobId })}\n\n`,
  );
  return new TextEncoder().encode(text.join(""));
}
