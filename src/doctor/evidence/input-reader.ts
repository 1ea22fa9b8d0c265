import { errorText, type Platform } from "../../base/index.ts";
import { gunzip, untar, unzip } from "./archive.ts";
import { LineSplitter } from "./byte-lines.ts";
import { collect, firstLine, peek, recognise, secondLine } from "./content-kind.ts";
import { EvidenceBuilder } from "./evidence-builder.ts";
import type { Evidence, SourceKind } from "./evidence.ts";
import { parseLogHeader } from "./log-header.ts";
import { joinWrapped, type NumberedLine } from "./line-repair.ts";
import { readMetadataHead } from "./metadata-head.ts";
import { RestReader } from "./rest/rest-reader.ts";
import { SelectiveSplitter } from "./selective-lines.ts";
import { looksLikeSettings } from "./settings-reader.ts";
import { TextReader } from "./text-reader.ts";

/** What the doctor is handed: a path of this machine, or content that came from elsewhere. */
export type DoctorInput =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "bytes"; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: "stream"; readonly name: string; readonly chunks: AsyncIterable<Uint8Array> };

const CHUNK_BYTES = 1024 * 1024;
/** Smaller files are read whole, so that wrapped lines and settings can be told from the whole. */
const WHOLE_BYTES = 8 * 1024 * 1024;
const MAX_JSON_BYTES = 64 * 1024 * 1024;
const MAX_ZIP_BYTES = 512 * 1024 * 1024;
const MAX_DEPTH = 12;
const MAX_FILES = 50_000;
const MAX_NESTING = 3;

/**
 * Reads all inputs into one body of evidence.
 *
 * @remarks
 * An input that cannot be read becomes a source with a problem; the rest is read all the same.
 */
export async function readEvidence(
  inputs: readonly DoctorInput[],
  platform: Platform,
): Promise<Evidence> {
  const reader = new InputReader(platform);
  for (const input of inputs) {
    if (input.kind === "path" && /^https?:\/\//u.test(input.path))
      await reader.readCluster(input.path);
    else if (input.kind === "path") await reader.readPath(input.path, 0);
    else if (input.kind === "bytes")
      await reader.readGuarded(input.name, once(input.bytes), input.bytes.length, 0);
    else await reader.readGuarded(input.name, input.chunks, 0, 0);
  }
  return reader.builder.build();
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

class InputReader {
  readonly builder: EvidenceBuilder = new EvidenceBuilder();
  readonly #platform: Platform;
  readonly #directories = new Set<string>();
  #files = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Asks a running cluster; its answers count like saved ones. */
  async readCluster(address: string): Promise<void> {
    const { askCluster } = await import("./rest/live-cluster.ts");
    for await (const { name, body, problem } of askCluster(address, this.#platform)) {
      if (problem === undefined) await this.readGuarded(name, once(body), body.length, 0);
      else this.#problem(name, "missing", 0, problem);
    }
  }

  async readPath(path: string, depth: number): Promise<void> {
    try {
      const status = await this.#platform.files.status(path);
      if (status === undefined)
        this.#problem(path, "missing", 0, "there is no such file or directory");
      else if (status.kind === "directory") await this.#readDirectory(path, depth);
      else if (status.kind === "file")
        await this.readGuarded(path, this.#chunksOf(path), status.sizeBytes, 0);
      else this.#problem(path, "binary", 0, "is neither a file nor a directory");
    } catch (error) {
      this.#problem(path, "missing", 0, errorText(error));
    }
  }

  async #readDirectory(path: string, depth: number): Promise<void> {
    const status = await this.#platform.files.status(path);
    const identity = String(status?.inode ?? path);
    if (depth > MAX_DEPTH || this.#directories.has(identity)) return;
    this.#directories.add(identity);
    for (const entry of await this.#platform.files.list(path)) {
      if (++this.#files > MAX_FILES) {
        this.#problem(path, "missing", 0, `more than ${MAX_FILES} files; the rest was not read`);
        return;
      }
      const child = `${path.replace(/\/$/u, "")}/${entry.name}`;
      if (/\.(?:sst|jar|class|png|pyc)$/u.test(entry.name)) await this.#listOnly(child);
      else await this.readPath(child, depth + 1);
    }
  }

  async #listOnly(path: string): Promise<void> {
    const status = await this.#platform.files.status(path);
    this.builder.listed({
      path,
      kind: "file",
      sizeBytes: status?.sizeBytes,
      owner: undefined,
      mode: undefined,
      place: { file: path, line: 0 },
    });
  }

  #problem(path: string, kind: SourceKind, sizeBytes: number, problem: string): void {
    this.builder.source({ path, kind, sizeBytes, problem });
  }

  async *#chunksOf(path: string): AsyncIterable<Uint8Array> {
    const file = await this.#platform.files.open(path, "read");
    try {
      let position = 0;
      for (;;) {
        const target = new Uint8Array(CHUNK_BYTES);
        const read = await file.read(target, position);
        if (read === 0) return;
        position += read;
        yield target.subarray(0, read);
      }
    } finally {
      await file.close();
    }
  }

  async readGuarded(
    name: string,
    chunks: AsyncIterable<Uint8Array>,
    sizeBytes: number,
    nesting: number,
  ): Promise<void> {
    try {
      await this.#readContent(name, chunks, sizeBytes, nesting);
    } catch (error) {
      this.builder.source({ path: name, kind: "binary", sizeBytes, problem: errorText(error) });
    }
  }

  async #readContent(
    name: string,
    chunks: AsyncIterable<Uint8Array>,
    sizeBytes: number,
    nesting: number,
  ): Promise<void> {
    const peeked = await peek(chunks);
    const kind = recognise(peeked.head);
    if (kind === "empty") {
      this.builder.source({ path: name, kind: "empty", sizeBytes: 0, problem: "is empty" });
      return;
    }
    if (nesting > MAX_NESTING) {
      this.builder.source({
        path: name,
        kind: "archive",
        sizeBytes,
        problem: "archives are nested too deep",
      });
      return;
    }
    if (kind === "gzip") {
      const unpacked = gunzip(peeked.all, () =>
        this.#problem(name, "archive", sizeBytes, "is cut off; what is whole of it was read"),
      );
      await this.readGuarded(name.replace(/\.t?gz$/u, ""), unpacked, 0, nesting + 1);
    } else if (kind === "tar") {
      for await (const member of untar(peeked.all)) {
        if (member.problem !== undefined)
          this.builder.source({
            path: `${name}!${member.name}`,
            kind: "archive",
            sizeBytes: member.bytes.length,
            problem: member.problem,
          });
        await this.readGuarded(
          `${name}!${member.name}`,
          once(member.bytes),
          member.bytes.length,
          nesting + 1,
        );
      }
    } else if (kind === "zip") {
      for (const member of unzip(await collect(peeked.all, MAX_ZIP_BYTES))) {
        if (member.problem !== undefined)
          this.builder.source({
            path: `${name}!${member.name}`,
            kind: "archive",
            sizeBytes: 0,
            problem: member.problem,
          });
        else
          await this.readGuarded(
            `${name}!${member.name}`,
            once(member.bytes),
            member.bytes.length,
            nesting + 1,
          );
      }
    } else if (kind === "metadata") {
      await this.#readMetadata(name, peeked.all);
    } else if (kind === "history") {
      await this.#readHistory(name, peeked.all);
    } else if (kind === "binary") {
      this.builder.source({ path: name, kind: "binary", sizeBytes, problem: "is not text" });
    } else await this.#readText(name, peeked.head, peeked.all, sizeBytes, kind);
  }

  async #readMetadata(name: string, all: AsyncIterable<Uint8Array>): Promise<void> {
    const bytes = await collect(all, CHUNK_BYTES * 64);
    // The decoder is loaded only where there is something to decode.
    const { checkMetadata } = await import("./metadata-check.ts");
    this.builder.metadata(checkMetadata(readMetadataHead(name, bytes), bytes));
    this.builder.source({
      path: name,
      kind: "metadata",
      sizeBytes: bytes.length,
      problem: undefined,
    });
  }

  /** Checkpoints of this project's own jobs; their reader is loaded only here. */
  async #readHistory(name: string, all: AsyncIterable<Uint8Array>): Promise<void> {
    const { readOwnHistory } = await import("./own-history.ts");
    let sizeBytes = 0;
    const splitter = new LineSplitter((text, line) => {
      readOwnHistory(text, { file: name, line }, this.builder);
    });
    for await (const chunk of all) {
      sizeBytes += chunk.length;
      splitter.push(chunk);
    }
    splitter.finish();
    this.builder.source({ path: name, kind: "json", sizeBytes, problem: undefined });
  }

  async #readText(
    name: string,
    head: Uint8Array,
    all: AsyncIterable<Uint8Array>,
    sizeBytes: number,
    kind: "text" | "json" | "utf16",
  ): Promise<void> {
    const whole: Uint8Array[] = [];
    let length = 0;
    const limit = kind === "json" ? MAX_JSON_BYTES : WHOLE_BYTES;
    const iterator = all[Symbol.asyncIterator]();
    while (length <= limit) {
      const next = await iterator.next();
      if (next.done === true) {
        this.#readWhole(name, Buffer.concat(whole), kind);
        return;
      }
      whole.push(next.value);
      length += next.value.length;
    }
    const text = new TextReader(name, this.builder, false);
    // Only a log is read in part; a thread dump or listing of this size matters as a whole.
    const isLog =
      parseLogHeader(firstLine(head)) !== undefined ||
      parseLogHeader(secondLine(head)) !== undefined;
    const onLine = (line: string, number: number): void => text.push(line, number);
    const splitter = isLog ? new SelectiveSplitter(onLine) : new LineSplitter(onLine);
    for (const chunk of whole.splice(0)) splitter.push(chunk);
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) break;
      splitter.push(next.value);
      length += next.value.length;
    }
    splitter.finish();
    text.finish();
    this.builder.source({
      path: name,
      kind: "text",
      sizeBytes: Math.max(sizeBytes, length),
      problem: undefined,
    });
  }

  #readWhole(name: string, bytes: Uint8Array, kind: "text" | "json" | "utf16"): void {
    const content = kind === "utf16" ? new TextDecoder("utf-16le").decode(bytes) : undefined;
    if (kind === "json" && this.#readJson(name, bytes)) return;
    const lines: NumberedLine[] = [];
    const splitter = new LineSplitter((text, line) => lines.push({ text, line }));
    splitter.push(content === undefined ? bytes : Buffer.from(content, "utf8"));
    splitter.finish();
    const repaired = joinWrapped(lines);
    const isSettings =
      /\.(?:ya?ml|conf|properties)$/u.test(name) ||
      looksLikeSettings(repaired.slice(0, 400).map((line) => line.text));
    const text = new TextReader(name, this.builder, isSettings);
    for (const line of repaired) text.push(line.text, line.line);
    text.finish();
    const html = /^\s*<(?:!doctype html|html)/iu.test(repaired[0]?.text ?? "");
    this.builder.source({
      path: name,
      kind: isSettings ? "settings" : "text",
      sizeBytes: bytes.length,
      problem: html ? "is a web page, not an answer of the REST interface" : undefined,
    });
  }

  #readJson(name: string, bytes: Uint8Array): boolean {
    let parsed: unknown;
    try {
      parsed = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      return false;
    }
    const vertexId =
      /vertex-([0-9a-f]{32})|backpressure-([0-9a-f]{32})|vertices[/_-]([0-9a-f]{32})|([0-9a-f]{32})[^/]*$/u.exec(
        name,
      );
    const vertex =
      vertexId === null ? undefined : (vertexId[1] ?? vertexId[2] ?? vertexId[3] ?? vertexId[4]);
    const reader = new RestReader(
      this.builder,
      { file: name, line: 1 },
      vertex,
      (text, place, atMs) => {
        const lines = new TextReader(name, this.builder, false);
        const stamped =
          atMs === undefined
            ? text
            : `${new Date(atMs).toISOString().replace("T", " ").slice(0, 23)}\n${text}`;
        for (const line of stamped.split("\n")) lines.push(line, place.line);
        lines.finish();
      },
    );
    const known = reader.read(parsed);
    if (!known) return false;
    this.builder.source({ path: name, kind: "json", sizeBytes: bytes.length, problem: undefined });
    return true;
  }
}
