import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { transformTypeScript } from "./job-transform.ts";

/** What both kinds of Node's module hooks decide by. */

/** A place to try for a specifier that Node does not find, in order. */
export function otherSpecifiers(specifier: string): readonly string[] {
  if (!/^\.{0,2}\/|^file:/.test(specifier)) return [];
  const script = /^(.*)\.([cm]?)js$/.exec(specifier);
  if (script !== null) return [`${script[1]}.${script[2]}ts`];
  if (/\.[cm]?[jt]s$|\.json$/.test(specifier)) return [];
  const folder = specifier.replace(/\/$/, "");
  return [
    ...(folder === specifier ? [`${specifier}.ts`, `${specifier}.js`] : []),
    `${folder}/index.ts`,
    `${folder}/index.js`,
  ];
}

/** True for `cutwater` and its doors, which are always those of the running package, wherever the job file lies. */
export function isOwnSpecifier(specifier: string): boolean {
  return specifier === "cutwater" || specifier.startsWith("cutwater/");
}

/** True where a failure to resolve means that another spelling may be found. */
export function isNotFound(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return (
    code === "ERR_MODULE_NOT_FOUND" ||
    code === "ERR_UNSUPPORTED_DIR_IMPORT" ||
    code === "MODULE_NOT_FOUND"
  );
}

/** The JavaScript of a module, or undefined if Node can load it itself. */
export function loadedModule(
  url: string,
  format: string | null | undefined,
): { readonly format: "module"; readonly source: string; readonly shortCircuit: true } | undefined {
  if (!url.startsWith("file:")) return undefined;
  const path = url.replace(/[?#].*$/, "");
  if (/\.m?ts$/.test(path)) {
    const file = fileURLToPath(path);
    const source = transformTypeScript(readFileSync(file, "utf8"), file);
    return { format: "module", source, shortCircuit: true };
  }
  // A .js file without a package.json that says "type": "module". Node looks into it itself from 22.7 on.
  if (path.endsWith(".js") && format === "commonjs" && !path.includes("/node_modules/")) {
    const source = readFileSync(fileURLToPath(path), "utf8");
    if (/^\s*(?:import\s*[\w"'{*]|export\s)/m.test(source))
      return { format: "module", source, shortCircuit: true };
  }
  return undefined;
}
