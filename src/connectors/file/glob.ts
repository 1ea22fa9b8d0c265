import type { FileSystem } from "../../base/index.ts";

/** Part of a pattern that is a plain path, and what must match below it. */
interface Glob {
  readonly root: string;
  /** Undefined: everything below a directory, or the file itself. */
  readonly pattern: RegExp | undefined;
}

const MAGIC = /[*?{[]/;

/**
 * The files that a path or pattern names, sorted: a file, all files below a directory, or a pattern with `*`, `?`, `**`, `[…]` and
 * `{a,b}`. Names that begin with a dot or an underscore are hidden, as in Flink, unless the pattern spells the dot out.
 */
export async function findFiles(
  files: FileSystem,
  pathOrPattern: string,
): Promise<readonly string[]> {
  const glob = parseGlob(pathOrPattern);
  const found: string[] = [];
  const status = await files.status(glob.root);
  if (status?.kind === "file") return glob.pattern === undefined ? [glob.root] : [];
  if (status?.kind === "directory") await walk(files, glob.root, "", glob.pattern, found);
  return found.toSorted();
}

async function walk(
  files: FileSystem,
  directory: string,
  prefix: string,
  pattern: RegExp | undefined,
  found: string[],
): Promise<void> {
  for (const entry of await files.list(directory)) {
    const relative = `${prefix}${entry.name}`;
    const path = directory.endsWith("/")
      ? `${directory}${entry.name}`
      : `${directory}/${entry.name}`;
    if (entry.kind === "directory") {
      if (!isHidden(entry.name)) await walk(files, path, `${relative}/`, pattern, found);
    } else if (pattern === undefined ? !isHidden(entry.name) : pattern.test(relative)) {
      found.push(path);
    }
  }
}

function isHidden(name: string): boolean {
  return name.startsWith(".") || name.startsWith("_");
}

function parseGlob(text: string): Glob {
  const parts = text.split("/");
  const firstMagic = parts.findIndex((part) => MAGIC.test(part));
  if (firstMagic < 0) return { root: text, pattern: undefined };
  const root = parts.slice(0, firstMagic).join("/");
  const isAbsolute = text.startsWith("/");
  return {
    root: root === "" ? (isAbsolute ? "/" : ".") : root,
    pattern: new RegExp(
      `^${parts.slice(firstMagic).map(partPattern).join("/")}$`.replaceAll(
        "\u0000/",
        "(?:[^/]+/)*",
      ),
    ),
  };
}

/** `**` becomes a mark that takes its slash along: any number of directories, none too. */
function partPattern(part: string): string {
  if (part === "**") return "\u0000";
  const visible = part.startsWith(".") || part.startsWith("_") ? "" : "(?![._])";
  return visible + wildcards(part);
}

function wildcards(part: string): string {
  let pattern = "";
  let depth = 0;
  for (let index = 0; index < part.length; index++) {
    const char = part.charAt(index);
    const classEnd = char === "[" ? part.indexOf("]", index + 2) : -1;
    if (classEnd > 0) {
      pattern += `[${part
        .slice(index + 1, classEnd)
        .replace(/^!/, "^")
        .replaceAll("\\", "\\\\")}]`;
      index = classEnd;
    } else if (char === "*") {
      pattern += "[^/]*";
    } else if (char === "?") {
      pattern += "[^/]";
    } else if (char === "{") {
      depth++;
      pattern += "(?:";
    } else if (char === "}" && depth > 0) {
      depth--;
      pattern += ")";
    } else if (char === "," && depth > 0) {
      pattern += "|";
    } else {
      pattern += char.replace(/[.+^$()|\\{}[\]]/g, "\\$&");
    }
  }
  return pattern;
}
