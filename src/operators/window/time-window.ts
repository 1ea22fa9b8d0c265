/** A span of event or processing time, from `start` up to but not including `end`, in ms. Immutable. */
export class TimeWindow {
  readonly start: number;
  readonly end: number;
  #text: string | undefined;

  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }

  /** The last millisecond that belongs to the window: when it fires, and the timestamp of its results. */
  maxTimestamp(): number {
    return this.end - 1;
  }

  /** True if the two overlap or touch, so that sessions of these spans are one. */
  intersects(other: TimeWindow): boolean {
    return this.start <= other.end && this.end >= other.start;
  }

  /** The smallest window that holds both. */
  cover(other: TimeWindow): TimeWindow {
    return new TimeWindow(Math.min(this.start, other.start), Math.max(this.end, other.end));
  }

  /** A text that only equal windows share. */
  identity(): string {
    return (this.#text ??= `${this.start}-${this.end}`);
  }

  equals(other: TimeWindow): boolean {
    return this.start === other.start && this.end === other.end;
  }

  toString(): string {
    return `TimeWindow{start=${this.start}, end=${this.end}}`;
  }
}

/** The start of the window of `sizeMs` that holds the timestamp, when one window starts at `offsetMs`. */
export function windowStart(timestamp: number, offsetMs: number, sizeMs: number): number {
  const remainder = (timestamp - offsetMs) % sizeMs;
  return timestamp - (remainder < 0 ? remainder + sizeMs : remainder);
}
