/** A duration as Java prints it: `PT1S`, `PT1M30S`, `PT0.5S`. */
export function durationText(durationMs: number): string {
  if (durationMs === 0) return "PT0S";
  const hours = Math.floor(durationMs / 3_600_000);
  const minutes = Math.floor((durationMs % 3_600_000) / 60_000);
  const seconds = (durationMs % 60_000) / 1000;
  const parts = [
    hours === 0 ? "" : `${hours}H`,
    minutes === 0 ? "" : `${minutes}M`,
    seconds === 0 ? "" : `${seconds}S`,
  ];
  return `PT${parts.join("")}`;
}
