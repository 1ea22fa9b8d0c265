export function firstLine(head: Uint8Array): string {
  return lineAt(head, 0);
}

export function secondLine(head: Uint8Array): string {
  return lineAt(head, 1);
}

function lineAt(head: Uint8Array, index: number): string {
  return new TextDecoder().decode(head.subarray(0, 16_384)).split("\n", index + 1)[index] ?? "";
}

/** Looks at the beginning of a stream without losing it. */
export async function peek(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ head: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < 4096) {
    const next = await iterator.next();
    if (next.done === true) break;
    first.push(next.value);
    length += next.value.length;
  }
  const head = Buffer.concat(first);
  async function* all(): AsyncIterable<Uint8Array> {
    if (head.length > 0) yield head;
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) return;
      yield next.value;
    }
  }
  return { head, all: all() };
}

/** The whole of a stream that must not be larger than the limit. */
export async function collect(
  chunks: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length > limitBytes) throw new Error(`is larger than ${limitBytes} bytes`);
  }
  return Buffer.concat(parts);
}

export type ContentKind =
  | "history"
  | "empty"
  | "gzip"
  | "zip"
  | "tar"
  | "metadata"
  | "binary"
  | "json"
  | "utf16"
  | "text";

/** What content is, from its first bytes. */
export function recognise(head: Uint8Array): ContentKind {
  if (head.length === 0) return "empty";
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  if (head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5)) return "zip";
  if (head[0] === 0x49 && head[1] === 0x60 && head[2] === 0x67 && head[3] === 0x2d)
    return "metadata";
  if (head.length > 262 && Buffer.from(head.subarray(257, 262)).toString("latin1") === "ustar")
    return "tar";
  if (head[0] === 0xff && head[1] === 0xfe) return "utf16";
  const sample = head.subarray(0, 4096);
  let odd = 0;
  for (const byte of sample) if (byte === 0 || (byte < 9 && byte > 0)) odd++;
  if (odd > sample.length / 50) return "binary";
  const start = Buffer.from(sample.subarray(0, 40)).toString("latin1");
  if (/^\{"format":\d+,"jobId"/u.test(start)) return "history";
  const text = Buffer.from(sample.subarray(0, 64)).toString("utf8").trimStart();
  return text.startsWith("{") || text.startsWith("[") ? "json" : "text";
}
