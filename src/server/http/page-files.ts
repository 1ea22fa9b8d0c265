import { promisify } from "node:util";
import { gzip } from "node:zlib";

import type { Context } from "hono";

import type { FileSystem } from "../../base/index.ts";

/** The page that comes with the package: it needs nothing but its own files. */
const OWN_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Another page, such as Flink's own, which writes styles and scripts of its own. */
const OTHER_POLICY =
  "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; " +
  "style-src 'self' 'unsafe-inline'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff: "font/woff",
  woff2: "font/woff2",
  ttf: "font/ttf",
  map: "application/json; charset=utf-8",
};

const zip = promisify(gzip);

/** Larger files are read each time. */
const KEPT_SIZE_BYTES = 1 << 20;

interface PageFile {
  readonly content: ArrayBuffer;
  /** Undefined for what is not kept. */
  readonly zipped: ArrayBuffer | undefined;
  readonly etag: string;
}

export interface PageOptions {
  readonly files: FileSystem;
  /** Where the page's files lie, without a slash at the end. */
  readonly directory: string;
  /** True for the page that comes with the package. */
  readonly isOwn: boolean;
}

/**
 * The files of the page, by name: the directory is listed once, and only what is in that list is ever read, so that no path can lead out of it.
 */
export class PageFiles {
  readonly #options: PageOptions;
  readonly #kept = new Map<string, PageFile>();
  #paths: Promise<ReadonlySet<string>> | undefined;

  constructor(options: PageOptions) {
    this.#options = options;
  }

  /** The file for a path below the server's root, if it is one of the page's. */
  async answer(c: Context): Promise<Response | undefined> {
    const path = c.req.path === "/" ? "index.html" : c.req.path.slice(1);
    this.#paths ??= this.#list();
    const paths = await this.#paths;
    if (!paths.has(path)) return undefined;
    const { isOwn } = this.#options;
    const { content, zipped, etag } = await this.#read(path);
    const headers = {
      "Content-Security-Policy": isOwn ? OWN_POLICY : OTHER_POLICY,
      "Cache-Control": "no-cache",
      ETag: etag,
    };
    if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
    const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
    const typed = {
      ...headers,
      "Content-Type": CONTENT_TYPES[extension] ?? "application/octet-stream",
    };
    const isCompressed =
      zipped !== undefined && /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
    return isCompressed
      ? c.body(zipped, 200, { ...typed, "Content-Encoding": "gzip", Vary: "Accept-Encoding" })
      : c.body(content, 200, typed);
  }

  /** The page of the package is kept in memory: it is small, and asked for again and again. */
  async #read(path: string): Promise<PageFile> {
    const { files, directory, isOwn } = this.#options;
    const place = `${directory}/${path}`;
    const before = this.#kept.get(path);
    if (before !== undefined) return before;
    const status = await files.status(place);
    const bytes = await files.read(place);
    const file: PageFile = {
      content: bytes.slice().buffer,
      zipped: undefined,
      etag: `"${status?.modifiedAtMs ?? 0}-${bytes.length}"`,
    };
    if (!isOwn || bytes.length > KEPT_SIZE_BYTES) return file;
    const kept = { ...file, zipped: new Uint8Array(await zip(bytes)).buffer };
    this.#kept.set(path, kept);
    return kept;
  }

  async #list(): Promise<ReadonlySet<string>> {
    const { files, directory } = this.#options;
    const found = new Set<string>();
    const pending = [""];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const place = at === "" ? directory : `${directory}/${at}`;
      if ((await files.status(place)) === undefined) continue;
      for (const { name, kind } of await files.list(place)) {
        const path = at === "" ? name : `${at}/${name}`;
        if (kind === "directory") pending.push(path);
        else if (kind === "file") found.add(path);
      }
    }
    return found;
  }
}
