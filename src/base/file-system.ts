/** What is known of a file or directory. */
export interface FileStatus {
  readonly kind: "file" | "directory" | "other";
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  /** Identity of the file on its device: a file replaced under the same name has another one. */
  readonly inode: number;
}

/** One name in a directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "other";
}

/** How a file is opened: to read, to write a file that must not exist yet, or to write on in an existing one. */
export type OpenMode = "read" | "create" | "update";

/** An open file. Every operation is positional; there is no cursor. */
export interface OpenFile {
  /** Reads into `target` from `positionBytes` of the file; the number of bytes read, 0 at the end. */
  read(target: Uint8Array, positionBytes: number): Promise<number>;
  /** Writes all of `data` at `positionBytes` of the file. */
  write(data: Uint8Array, positionBytes: number): Promise<void>;
  truncate(sizeBytes: number): Promise<void>;
  status(): Promise<FileStatus>;
  /** Forces the content to the device. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The files a job reads and writes: state, checkpoints, sources, sinks.
 *
 * @remarks
 * Asynchronous throughout: the data plane never waits for it in the middle of an element.
 * A failure rejects with the operating system's error (`code`, `path`), unchanged, so that whoever knows
 * what the file was for can wrap it with a `StreamError`.
 */
export interface FileSystem {
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  /** The whole content. */
  read(path: string): Promise<Uint8Array>;
  /** What is there, or undefined if nothing is. */
  status(path: string): Promise<FileStatus | undefined>;
  /** The names in a directory, sorted by code unit. */
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** Creates the directory and its parents, and forces their names to the device; does nothing if it exists. */
  createDirectory(path: string): Promise<void>;
  /** Moves within one device, replacing the target: atomic. */
  rename(from: string, to: string): Promise<void>;
  /** Gives the file a second name; fails with EEXIST if the name is taken: atomic, so the loser of two knows. */
  link(from: string, to: string): Promise<void>;
  /** Removes a file, or an empty directory; does nothing if it is gone. */
  remove(path: string): Promise<void>;
  /** Removes a directory and all in it; does nothing if it is gone. */
  removeTree(path: string): Promise<void>;
  /** Forces names created, renamed or removed in a directory to the device. */
  syncDirectory(path: string): Promise<void>;
}
