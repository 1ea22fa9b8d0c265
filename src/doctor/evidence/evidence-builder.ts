import type {
  Evidence,
  GcPause,
  ListedFile,
  LogEvent,
  MetadataFact,
  RestFacts,
  Setting,
  SourceFile,
  ThreadStack,
} from "./evidence.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/** How many records of one shape are kept; the rest is counted. */
const MAX_SAME = 40;
const MAX_SAME_COORDINATOR = 20_000;
const MAX_EVENTS = 400_000;
const MAX_LISTED = 200_000;

interface Kept {
  count: number;
  last: Mutable<LogEvent> | undefined;
}

/** Gathers evidence while inputs are read; bounded however much comes. */
export class EvidenceBuilder {
  readonly #sources: SourceFile[] = [];
  readonly #events: LogEvent[] = [];
  readonly #shapes = new Map<string, Kept>();
  readonly #settings: Setting[] = [];
  readonly #listing: ListedFile[] = [];
  readonly #stacks: ThreadStack[] = [];
  readonly #gcPauses: GcPause[] = [];
  readonly #metadata: MetadataFact[] = [];
  readonly rest: Mutable<RestFacts> = {
    flinkVersion: undefined,
    jobs: [],
    checkpoints: [],
    checkpointCounts: [],
    subtasks: [],
    checkpointConfig: [],
    vertices: [],
    backpressure: [],
    savepoints: [],
    metrics: [],
    taskManagers: undefined,
  };

  source(source: SourceFile): void {
    this.#sources.push(source);
  }

  event(event: LogEvent): void {
    if (event.message === "" && event.thrown.length === 0) return;
    const shape = shapeOf(event);
    const kept = this.#shapes.get(shape) ?? { count: 0, last: undefined };
    kept.count++;
    this.#shapes.set(shape, kept);
    const limit = isCoordinator(event) ? MAX_SAME_COORDINATOR : MAX_SAME;
    if ((kept.count > limit || this.#events.length >= MAX_EVENTS) && kept.last !== undefined) {
      kept.last.repeats++;
      kept.last.lastAtMs = event.lastAtMs ?? event.atMs;
      return;
    }
    const copy: Mutable<LogEvent> = { ...event, thrown: [...event.thrown] };
    kept.last = copy;
    this.#events.push(copy);
  }

  stack(stack: ThreadStack): void {
    if (this.#stacks.length < 20_000) this.#stacks.push(stack);
  }

  setting(setting: Setting): void {
    if (this.#settings.length < 50_000) this.#settings.push(setting);
  }

  listed(file: ListedFile): void {
    if (this.#listing.length < MAX_LISTED) this.#listing.push(file);
  }

  gcPause(pause: GcPause): void {
    if (this.#gcPauses.length < 50_000) this.#gcPauses.push(pause);
  }

  metadata(fact: MetadataFact): void {
    this.#metadata.push(fact);
  }

  build(): Evidence {
    return {
      sources: this.#sources,
      events: this.#events,
      settings: this.#settings,
      rest: this.rest,
      listing: this.#listing,
      stacks: this.#stacks,
      gcPauses: this.#gcPauses,
      metadata: this.#metadata,
    };
  }
}

function isCoordinator(event: LogEvent): boolean {
  return (
    event.logger !== undefined && /Checkpoint(?:Coordinator|FailureManager)$/u.test(event.logger)
  );
}

/** Two records of one shape say the same about different numbers. */
function shapeOf(event: LogEvent): string {
  const thrown = event.thrown
    .map((error) => `${error.className}:${error.message.slice(0, 120)}`)
    .join("|");
  const text = `${event.logger ?? ""}|${event.message.slice(0, 300)}|${thrown}`;
  return `${event.place.file}|${text.replace(/[0-9a-f]{8,}|\d+/gu, "0")}`;
}
