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
  // A name may hold the signs of patterns: what is there by that name is meant.
  const isThere = (await files.status(pathOrPattern)) !== undefined;
  const glob = isThere ? { root: pathOrPattern, pattern: undefined } : parseGlob(pathOrPattern);
  const found: string[] = [];
  const status = await files.status(glob.root);
  if (status?.kind === "file") return glob.pattern === undefined ? [glob.root] : [];
  if (status?.kind === "directory") {
    await walk(files, { path: glob.root, prefix: "", within: [status.inode] }, glob.pattern, found);
  }
  return found.toSorted();
}

interface Directory {
  readonly path: string;
  /** Its path below the root, with a slash at its end. */
  readonly prefix: string;
  /** It and those that hold it: a link to one of them leads round in a circle. */
  readonly within: readonly number[];
}

async function walk(
  files: FileSystem,
  directory: Directory,
  pattern: RegExp | undefined,
  found: string[],
): Promise<void> {
  for (const entry of await files.list(directory.path)) {
    const relative = `${directory.prefix}${entry.name}`;
    const path = `${directory.path}${directory.path.endsWith("/") ? "" : "/"}${entry.name}`;
    // What is neither may be a link; one that leads nowhere counts as a file, so that reading it names it.
    const linked = entry.kind === "other" ? await files.status(path) : undefined;
    const kind = entry.kind !== "other" ? entry.kind : (linked?.kind ?? "file");
    if (kind === "directory") {
      if (isHidden(entry.name)) continue;
      const inode = (linked ?? (await files.status(path)))?.inode ?? 0;
      if (directory.within.includes(inode)) continue;
      const within = [...directory.within, inode];
      await walk(files, { path, prefix: `${relative}/`, within }, pattern, found);
    } else if (
      kind === "file" &&
      (pattern === undefined ? !isHidden(entry.name) : pattern.test(relative))
    ) {
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
