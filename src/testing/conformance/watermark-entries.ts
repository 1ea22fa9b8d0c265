import type { WatermarkStatus } from "../../operators/index.ts";
import type { Fields } from "./fields.ts";

/** The field `status` of a step, which is `idle` or `active`. */
export function toWatermarkStatus(step: Fields): WatermarkStatus {
  const status = step.text("status");
  if (status === "idle") return "IDLE";
  if (status === "active") return "ACTIVE";
  throw step.fault("status", "`idle` or `active`");
}
