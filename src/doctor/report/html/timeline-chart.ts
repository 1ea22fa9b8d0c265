import type { TrackedCheckpoint } from "../checkpoint-track.ts";
import { type Markup, markup } from "./markup.ts";

const WIDTH = 960;
const LABEL = 64;
const ROW = 16;
const TOP = 22;
/** Rows that are drawn; older checkpoints stay in the table below. */
const MAX_ROWS = 60;

interface Drawn {
  readonly checkpoint: TrackedCheckpoint;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A bar for each checkpoint from trigger to end; undefined if no moment is known. */
export function timelineChart(
  checkpoints: readonly TrackedCheckpoint[],
  title: string,
  nameOf: (outcome: TrackedCheckpoint["outcome"]) => string,
): Markup | undefined {
  const drawn = checkpoints
    .flatMap((checkpoint) => spanOf(checkpoint, checkpoints))
    .slice(-MAX_ROWS);
  const first = Math.min(...drawn.map((row) => row.fromMs));
  const last = Math.max(...drawn.map((row) => row.toMs));
  if (drawn.length === 0) return undefined;
  const scale = (WIDTH - LABEL - 8) / Math.max(1, last - first);
  const height = TOP + drawn.length * ROW + 4;
  const rows = drawn.map(({ checkpoint, fromMs, toMs }, index) => {
    const x = LABEL + (fromMs - first) * scale;
    const width = Math.max(3, (toMs - fromMs) * scale);
    const y = TOP + index * ROW;
    const kind = checkpoint.isSavepoint ? "bar savepoint" : "bar";
    const label = `${checkpoint.checkpointId}: ${nameOf(checkpoint.outcome)}, ${durationText(toMs - fromMs)}`;
    return markup`<g class="${checkpoint.outcome}"
      ><text x="${LABEL - 8}" y="${y + 10}" text-anchor="end">${checkpoint.checkpointId}</text>
      <rect
        class="${kind}"
        x="${x.toFixed(1)}"
        y="${y}"
        width="${Math.min(width, WIDTH - x).toFixed(1)}"
        height="${ROW - 5}"
        rx="2"
        ><title>${label}</title></rect
      ></g
    > `;
  });
  const ticks = tickMoments(first, last).map((atMs) => {
    const x = (LABEL + (atMs - first) * scale).toFixed(1);
    return markup`<line class="axis" x1="${x}" y1="${TOP - 4}" x2="${x}" y2="${height}" /><text
        x="${x}"
        y="12"
        text-anchor="middle"
        >${clockText(atMs)}</text
      > `;
  });
  return markup`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
    ${ticks}${rows}
  </svg>`;
}

/** One whose end is not known lasts to the last moment that is. */
function spanOf(
  checkpoint: TrackedCheckpoint,
  all: readonly TrackedCheckpoint[],
): readonly Drawn[] {
  const { triggeredAtMs, endedAtMs, durationMs } = checkpoint;
  const fromMs =
    triggeredAtMs ?? (endedAtMs === null ? null : Math.max(0, endedAtMs - (durationMs ?? 0)));
  if (fromMs === null) return [];
  const lastMs = Math.max(
    fromMs,
    ...all.map((other) => other.endedAtMs ?? other.triggeredAtMs ?? 0),
  );
  return [{ checkpoint, fromMs, toMs: Math.max(fromMs, endedAtMs ?? lastMs) }];
}

const STEPS_MS = [
  1, 10, 100, 1000, 5000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 21_600_000, 86_400_000,
];

function tickMoments(firstMs: number, lastMs: number): readonly number[] {
  const least = (lastMs - firstMs) / 7;
  const step =
    STEPS_MS.find((candidate) => candidate >= least) ?? Math.ceil(least / 86_400_000) * 86_400_000;
  const ticks: number[] = [];
  for (let at = Math.ceil(firstMs / step) * step; at <= lastMs; at += step) ticks.push(at);
  return ticks;
}

function clockText(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}

/** A duration to the precision that a reader can use. */
export function durationText(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 120_000) return `${(durationMs / 1000).toFixed(1)} s`;
  return `${(durationMs / 60_000).toFixed(1)} min`;
}
