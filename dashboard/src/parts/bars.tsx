import type { JSX } from "preact";

import { BACKPRESSURED_RATIO, BUSY_RATIO } from "../model/pressure.ts";
import { percent } from "../text/format.ts";

interface MeterProps {
  readonly label: string;
  readonly ratio: number | undefined;
  readonly kind: "busy" | "backpressured" | "idle";
}

/** A ratio as a bar with its number. */
export function Meter({ label, ratio, kind }: MeterProps): JSX.Element {
  const limit = kind === "busy" ? BUSY_RATIO : BACKPRESSURED_RATIO;
  const isHigh = kind !== "idle" && (ratio ?? 0) >= limit;
  return (
    <span class={`meter ${kind}${isHigh ? " high" : ""}`}>
      <span class="meter-label">{label}</span>
      <span class="meter-track" aria-hidden="true">
        <span class="meter-fill" style={{ width: `${Math.round((ratio ?? 0) * 100)}%` }} />
      </span>
      <span class="meter-value">{percent(ratio)}</span>
    </span>
  );
}

interface SubtaskBarsProps {
  readonly values: readonly number[];
  /** The value that fills the height; the greatest value if it is not given. */
  readonly full?: number;
  readonly label: string;
  readonly isHigh: (value: number) => boolean;
}

const HEIGHT = 22;

/** One bar for each subtask, so that an uneven load is seen at a glance. */
export function SubtaskBars({ values, full, label, isHigh }: SubtaskBarsProps): JSX.Element {
  const greatest = full ?? Math.max(...values, 1e-9);
  const width = Math.max(2, Math.min(12, 160 / Math.max(1, values.length)));
  const total = values.length * width;
  return (
    <svg
      class="subtask-bars"
      width={total}
      height={HEIGHT}
      viewBox={`0 0 ${total} ${HEIGHT}`}
      role="img"
      aria-label={label}
    >
      {values.map((value, index) => {
        const height = Math.max(1.5, Math.min(1, value / greatest) * HEIGHT);
        return (
          <rect
            key={index}
            class={isHigh(value) ? "high" : "even"}
            x={index * width}
            y={HEIGHT - height}
            width={Math.max(1, width - 1.5)}
            height={height}
            rx={1}
          />
        );
      })}
    </svg>
  );
}
