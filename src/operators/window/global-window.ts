import { MAX_TIMESTAMP } from "../../base/index.ts";

/** The one window that holds everything. It ends with the stream. */
export class GlobalWindow {
  maxTimestamp(): number {
    return MAX_TIMESTAMP;
  }

  toString(): string {
    return "GlobalWindow";
  }
}

/** The only instance that is needed; two are equal anyway. */
export const GLOBAL_WINDOW: GlobalWindow = new GlobalWindow();
