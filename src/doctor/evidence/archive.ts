import { constants, createGunzip, inflateRawSync } from "node:zlib";

/** One file inside an archive. */
export interface ArchiveMember {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly problem: string | undefined;
}

/** Members larger than this are cut off: an archive must not unpack without bound. */
const MAX_MEMBER_BYTES = 256 * 1024 * 1024;
const MAX_MEMBERS = 10_000;

/**
 * Unpacks gzip data chunk by chunk; what is whole of a truncated file comes through.
 *
 * @param onCutOff - Called at the end if the file is shorter than it says.
 * @throws The decompressor's error if the data is damaged, after everything before the damage was delivered.
 */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
  onCutOff: () => void,
): AsyncIterable<Uint8Array> {
  const trailer = new GzipTrailer();
  const stream = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  let failure: unknown;
  const feeding = (async () => {
    try {
      for await (const chunk of chunks) {
        if (stream.destroyed) return;
        trailer.push(chunk);
        if (!stream.write(chunk)) {
          await new Promise<void>((resolve) => {
            stream.once("drain", resolve);
            stream.once("close", resolve);
          });
        }
      }
      stream.end();
    } catch (error) {
      failure = error;
      stream.destroy();
    }
  })();
  let unpackedBytes = 0;
  for await (const chunk of stream) {
    const unpacked = new Uint8Array(chunk);
    unpackedBytes += unpacked.length;
    yield unpacked;
  }
  await feeding;
  if (failure !== undefined) throw failure;
  if (!trailer.confirms(unpackedBytes)) onCutOff();
}

/** Watches for the length that a gzip file ends with. Where several files were joined, it says nothing. */
class GzipTrailer {
  #last: Buffer = Buffer.alloc(0);
  #isFirst = true;
  #isJoined = false;

  push(chunk: Uint8Array): void {
    const seen = Buffer.concat([this.#last, chunk]);
    const from = this.#isFirst ? 1 : 0;
    this.#isFirst = false;
    this.#isJoined ||= seen.indexOf(HEADER, from) >= 0;
    this.#last = Buffer.from(seen.subarray(-4));
  }

  confirms(unpackedBytes: number): boolean {
    if (this.#isJoined) return true;
    return this.#last.length === 4 && this.#last.readUInt32LE(0) === unpackedBytes % 2 ** 32;
  }
}

/** How a gzip file begins: magic number and method. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0]);

/** Reads the members of a zip file from its directory at the end, one by one: together they may be larger than memory. */
export function* unzip(bytes: Uint8Array): Iterable<ArchiveMember> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || end + 22 > buffer.length)
    throw new Error("the zip directory is missing: the file is cut off");
  let at = buffer.readUInt32LE(end + 16);
  const count = buffer.readUInt16LE(end + 10);
  for (let index = 0; index < Math.min(count, MAX_MEMBERS); index++) {
    if (at + 46 > buffer.length || buffer.readUInt32LE(at) !== 0x02014b50) break;
    const nameLength = buffer.readUInt16LE(at + 28);
    const name = buffer.toString("utf8", at + 46, at + 46 + nameLength);
    if (!name.endsWith("/")) yield unzipMember(buffer, at, name);
    at += 46 + nameLength + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
}

function unzipMember(buffer: Buffer, entry: number, name: string): ArchiveMember {
  const method = buffer.readUInt16LE(entry + 10);
  const packed = buffer.readUInt32LE(entry + 20);
  const local = buffer.readUInt32LE(entry + 42);
  if (local + 30 > buffer.length)
    return { name, bytes: new Uint8Array(0), problem: "lies outside the archive" };
  const start = local + 30 + buffer.readUInt16LE(local + 26) + buffer.readUInt16LE(local + 28);
  const data = buffer.subarray(start, start + packed);
  if (method === 0) return { name, bytes: data, problem: undefined };
  if (method !== 8)
    return { name, bytes: new Uint8Array(0), problem: `packing method ${method} is not known` };
  try {
    return {
      name,
      bytes: inflateRawSync(data, { maxOutputLength: MAX_MEMBER_BYTES }),
      problem: undefined,
    };
  } catch (error) {
    return {
      name,
      bytes: new Uint8Array(0),
      problem: error instanceof Error ? error.message : String(error),
    };
  }
}

/** Reads the members of a tar stream one by one. */
export async function* untar(chunks: AsyncIterable<Uint8Array>): AsyncIterable<ArchiveMember> {
  const reader = new ChunkReader(chunks);
  let longName: string | undefined;
  for (let index = 0; index < MAX_MEMBERS; index++) {
    const header = await reader.take(512);
    if (header.length < 512 || header[0] === 0) return;
    const field = (from: number, to: number): string =>
      Buffer.from(header.subarray(from, to)).toString("utf8").split("\0", 1)[0] ?? "";
    const size = Number.parseInt(field(124, 136).trim() || "0", 8);
    if (!Number.isFinite(size) || size < 0) return;
    const type = String.fromCharCode(header[156] ?? 48);
    const prefix = field(345, 500);
    const name = longName ?? (prefix === "" ? field(0, 100) : `${prefix}/${field(0, 100)}`);
    longName = undefined;
    const wanted = Math.min(size, MAX_MEMBER_BYTES);
    const bytes = await reader.take(wanted);
    await reader.skip(size - wanted + ((512 - (size % 512)) % 512));
    if (type === "L") longName = Buffer.from(bytes).toString("utf8").replaceAll("\0", "");
    else if (type === "0" || type === "\0") {
      const problem =
        bytes.length < size ? `only ${bytes.length} of ${size} bytes could be read` : undefined;
      yield { name, bytes, problem };
    }
  }
}

/** Takes exact amounts from a stream of chunks. */
class ChunkReader {
  readonly #iterator: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#iterator = chunks[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let missing = length;
    while (missing > 0 && (await this.#fill())) {
      const part = this.#rest.subarray(0, missing);
      parts.push(part);
      missing -= part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return Buffer.concat(parts);
  }

  async skip(length: number): Promise<void> {
    let missing = length;
    while (missing > 0 && (await this.#fill())) {
      const step = Math.min(missing, this.#rest.length);
      missing -= step;
      this.#rest = this.#rest.subarray(step);
    }
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#iterator.next();
      if (next.done === true) return false;
      this.#rest = next.value;
    }
    return true;
  }
}
