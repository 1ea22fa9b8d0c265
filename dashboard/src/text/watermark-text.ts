import { leastWatermark } from "../model/job.ts";
import type { Catalogue } from "./english.ts";
import { dayAndTime, duration } from "./format.ts";

/** A watermark near the present is shown by how far it is behind, another one by its time. */
export function watermarkText(
  text: Catalogue,
  watermarks: ReadonlyMap<number, number | undefined> | undefined,
): string {
  const watermark = leastWatermark(watermarks ?? new Map<number, number | undefined>());
  if (watermark === undefined) return text.noWatermark;
  const lagMs = Date.now() - watermark;
  return lagMs >= 0 && lagMs < 86_400_000 ? text.behindBy(duration(lagMs)) : dayAndTime(watermark);
}
