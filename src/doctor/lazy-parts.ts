import type * as Comparison from "./compare/index.ts";
import type * as Lint from "./lint/index.ts";

/** The check of configuration files; it brings the catalogue of options and a YAML reader, so it is loaded only where it is used. */
export function loadLint(): Promise<typeof Lint> {
  return import("./lint/index.ts");
}

/** The comparison of two environments, loaded only where it is used. */
export function loadComparison(): Promise<typeof Comparison> {
  return import("./compare/index.ts");
}
