import type { DirectoryEntry, FileStatus, OpenMode } from "../../base/index.ts";
import type { SeededRandom } from "./seeded-random.ts";

/**
 * What lies on a simulated disk, and what of it survives a crash.
 *
 * @remarks
 * After a crash a file holds what was last synced and a part of what was written since; a directory holds the names of its last
 * sync and a prefix of the changes since, in order. A rename within one directory is one change.
 * Source: POSIX `fsync`; rules as of a journaling file system.
 */

class FileNode {
  readonly kind = "file";
  readonly inode: number;
  /** Never changed in place but behind its end and that of `synced`, which may be a part of the same memory. */
  content: Uint8Array = new Uint8Array(0);
  synced: Uint8Array = new Uint8Array(0);
  modifiedAtMs: number;

  constructor(inode: number, nowMs: number) {
    this.inode = inode;
    this.modifiedAtMs = nowMs;
  }

  write(data: Uint8Array, positionBytes: number): void {
    const { content, synced } = this;
    const end = Math.max(content.length, positionBytes + data.length);
    const isUnseen = positionBytes === content.length && content.length >= synced.length;
    const hasRoom = content.byteOffset === 0 && end <= content.buffer.byteLength;
    if (isUnseen && hasRoom) {
      this.content = new Uint8Array(content.buffer, 0, end);
    } else {
      const roomier = new Uint8Array(isUnseen ? Math.max(end * 2, SMALLEST_BYTES) : end);
      roomier.set(content);
      this.content = roomier.subarray(0, end);
    }
    this.content.set(data, positionBytes);
  }
}

const SMALLEST_BYTES = 256;

class DirectoryNode {
  readonly kind = "directory";
  readonly inode: number;
  entries = new Map<string, Node>();
  durable = new Map<string, Node>();
  /** Changes since the last sync. */
  journal: NameChange[] = [];
  readonly modifiedAtMs: number;

  constructor(inode: number, nowMs: number) {
    this.inode = inode;
    this.modifiedAtMs = nowMs;
  }

  changeDurably(change: NameChange): void {
    applyChange(this.entries, change);
    this.sync();
  }

  sync(): void {
    this.durable = new Map(this.entries);
    this.journal = [];
  }

  change(change: NameChange): void {
    applyChange(this.entries, change);
    this.journal.push(change);
  }
}

type Node = FileNode | DirectoryNode;

/** Names taken away and names given, at once. */
interface NameChange {
  readonly removed: readonly string[];
  readonly set: readonly (readonly [string, Node])[];
}

function applyChange(names: Map<string, Node>, { removed, set }: NameChange): void {
  for (const name of removed) names.delete(name);
  for (const [name, node] of set) names.set(name, node);
}

/** Fails as the operating system would. */
export function systemError(code: string, operation: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${operation} '${path}'`), {
    code,
    path,
    syscall: operation,
  });
}

/** A file of the disk, as an open handle knows it. */
export type DiskFile = FileNode;

/** The disk. Its operations are immediate; {@link SimulatedFiles} gives them time and faults. */
export class SimulatedDisk {
  readonly #nowMs: () => number;
  #nextInode = 2;
  readonly #root: DirectoryNode;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#root = new DirectoryNode(1, nowMs());
  }

  open(path: string, mode: OpenMode): DiskFile {
    const found = this.#find(path);
    if (mode === "create") {
      if (found !== undefined) throw systemError("EEXIST", "open", path);
      const file = new FileNode(this.#nextInode++, this.#nowMs());
      this.#directoryOf(path, "open").change({ removed: [], set: [[nameOf(path), file]] });
      return file;
    }
    if (found === undefined) throw systemError("ENOENT", "open", path);
    if (found.kind === "directory") throw systemError("EISDIR", "open", path);
    return found;
  }

  write(file: DiskFile, data: Uint8Array, positionBytes: number): void {
    file.write(data, positionBytes);
    file.modifiedAtMs = this.#nowMs();
  }

  truncate(file: DiskFile, sizeBytes: number): void {
    const content = new Uint8Array(sizeBytes);
    content.set(file.content.subarray(0, sizeBytes));
    file.content = content;
    file.modifiedAtMs = this.#nowMs();
  }

  sync(file: DiskFile): void {
    file.synced = file.content;
  }

  status(path: string): FileStatus | undefined {
    const found = this.#find(path);
    return found === undefined ? undefined : statusOf(found);
  }

  statusOfFile(file: DiskFile): FileStatus {
    return statusOf(file);
  }

  read(path: string): Uint8Array {
    return this.open(path, "read").content.slice();
  }

  /** Puts a file there, durably. */
  put(path: string, content: Uint8Array): void {
    this.createDirectory(`/${partsOf(path).slice(0, -1).join("/")}`);
    const file = new FileNode(this.#nextInode++, this.#nowMs());
    file.content = new Uint8Array(content);
    this.sync(file);
    this.#directoryOf(path, "open").changeDurably({ removed: [], set: [[nameOf(path), file]] });
  }

  /** Paths of all files in a directory and below it, sorted; none if it is not there. */
  filesBelow(path: string): readonly string[] {
    if (this.#find(path)?.kind !== "directory") return [];
    return this.list(path).flatMap(({ name, kind }) => {
      const inside = `${path === "/" ? "" : path}/${name}`;
      return kind === "directory" ? this.filesBelow(inside) : [inside];
    });
  }

  list(path: string): readonly DirectoryEntry[] {
    const found = this.#find(path);
    if (found === undefined) throw systemError("ENOENT", "scandir", path);
    if (found.kind === "file") throw systemError("ENOTDIR", "scandir", path);
    return [...found.entries]
      .map(([name, { kind }]): DirectoryEntry => ({ name, kind }))
      .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  createDirectory(path: string): void {
    let at = this.#root;
    for (const name of partsOf(path)) {
      const found = at.entries.get(name);
      if (found?.kind === "file") throw systemError("ENOTDIR", "mkdir", path);
      const next = found ?? new DirectoryNode(this.#nextInode++, this.#nowMs());
      if (found === undefined) at.changeDurably({ removed: [], set: [[name, next]] });
      at = next;
    }
  }

  rename(from: string, to: string): void {
    const node = this.#find(from);
    if (node === undefined) throw systemError("ENOENT", "rename", from);
    const source = this.#directoryOf(from, "rename");
    const target = this.#directoryOf(to, "rename");
    if (source === target) {
      source.change({ removed: [nameOf(from)], set: [[nameOf(to), node]] });
    } else {
      target.change({ removed: [], set: [[nameOf(to), node]] });
      source.change({ removed: [nameOf(from)], set: [] });
    }
  }

  link(from: string, to: string): void {
    const node = this.#find(from);
    if (node === undefined) throw systemError("ENOENT", "link", from);
    if (this.#find(to) !== undefined) throw systemError("EEXIST", "link", to);
    this.#directoryOf(to, "link").change({ removed: [], set: [[nameOf(to), node]] });
  }

  remove(path: string): void {
    const found = this.#find(path);
    if (found === undefined) return;
    if (found.kind === "directory" && found.entries.size > 0)
      throw systemError("ENOTEMPTY", "rmdir", path);
    this.#directoryOf(path, "unlink").change({ removed: [nameOf(path)], set: [] });
  }

  removeTree(path: string): void {
    if (this.#find(path) === undefined) return;
    this.#directoryOf(path, "rm").change({ removed: [nameOf(path)], set: [] });
  }

  syncDirectory(path: string): void {
    const found = this.#find(path);
    if (found?.kind !== "directory")
      throw systemError(found === undefined ? "ENOENT" : "ENOTDIR", "fsync", path);
    found.sync();
  }

  /** Loses what was not forced to the device, as far as chance has it. */
  crash(random: SeededRandom): void {
    const seen = new Set<Node>();
    const visit = (node: Node): void => {
      if (seen.has(node)) return;
      seen.add(node);
      if (node.kind === "file") return crashFile(node, random);
      const kept = random.below(node.journal.length + 1);
      for (const change of node.journal.slice(0, kept)) applyChange(node.durable, change);
      node.journal = [];
      node.entries = new Map(node.durable);
      for (const child of node.entries.values()) visit(child);
    };
    visit(this.#root);
  }

  #find(path: string): Node | undefined {
    let at: Node = this.#root;
    for (const name of partsOf(path)) {
      if (at.kind === "file") return undefined;
      const next: Node | undefined = at.entries.get(name);
      if (next === undefined) return undefined;
      at = next;
    }
    return at;
  }

  #directoryOf(path: string, operation: string): DirectoryNode {
    const parent = this.#find(`/${partsOf(path).slice(0, -1).join("/")}`);
    if (parent === undefined) throw systemError("ENOENT", operation, path);
    if (parent.kind === "file") throw systemError("ENOTDIR", operation, path);
    return parent;
  }
}

/** The synced bytes, all bytes, or the synced ones and a torn piece of the rest. */
function crashFile(file: FileNode, random: SeededRandom): void {
  const { content, synced } = file;
  const draw = random.below(3);
  if (draw === 0) file.content = synced;
  else if (draw === 1 && content.length > synced.length) {
    const length = synced.length + random.below(content.length - synced.length + 1);
    file.content = content.slice(0, length);
  }
  file.synced = file.content;
}

function statusOf(node: Node): FileStatus {
  return {
    kind: node.kind,
    sizeBytes: node.kind === "file" ? node.content.length : 0,
    modifiedAtMs: node.modifiedAtMs,
    inode: node.inode,
  };
}

function partsOf(path: string): readonly string[] {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return parts;
}

function nameOf(path: string): string {
  return partsOf(path).at(-1) ?? "";
}
