/** The check of configuration files; it brings the catalogue of options and a YAML reader, so it is loaded only where it is used. */
export function loadLint(): Promise<typeof import("./lint/index.ts")> {
  return import("./lint/index.ts");
}
