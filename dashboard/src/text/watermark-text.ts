import { leastWatermark } from "../model/job.ts";
import type { Catalogue } from "./english.ts";
import { dayAndTime, duration } from "./format.ts";

/** A watermark near the present is shown by how far it is behind, another one by its time. */
export function watermarkText(
  text: Catalogue,
  watermarks: ReadonlyMap<number, number | undefined> | undefined,
): string {
  // A source has no input, and so no watermark of its own in Flink's answers.
  if (watermarks === undefined || watermarks.size === 0) return "–";
  const watermark = leastWatermark(watermarks);
  if (watermark === undefined) return text.noWatermark;
  const lagMs = Date.now() - watermark;
  return lagMs >= 0 && lagMs < 86_400_000 ? text.behindBy(duration(lagMs)) : dayAndTime(watermark);
}
