/** Longest excerpt of a record or key in an error. */
const MAX_EXCERPT_CHARACTERS = 200;

/** A record or key as short text for an error: JSON where that works, cut at a fixed length. Never throws. */
export function recordExcerpt(value: unknown): string {
  const text = asText(value);
  return text.length <= MAX_EXCERPT_CHARACTERS ? text : `${text.slice(0, MAX_EXCERPT_CHARACTERS)}…`;
}

function asText(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number" || value === undefined || typeof value === "symbol")
    return String(value);
  if (typeof value === "string") return JSON.stringify(value.slice(0, MAX_EXCERPT_CHARACTERS));
  if (typeof value === "function") return "a function";
  try {
    let budget = MAX_EXCERPT_CHARACTERS;
    const text = JSON.stringify(value, (_name, part: unknown) => {
      // Stops a huge record from being written out whole only to be cut.
      budget -= 4;
      if (budget < 0) return undefined;
      if (typeof part === "bigint") return `${part}n`;
      if (typeof part === "string") {
        budget -= part.length;
        return part.slice(0, MAX_EXCERPT_CHARACTERS);
      }
      if (part instanceof Map) return [...part.entries()].slice(0, 20);
      if (part instanceof Set) return [...part].slice(0, 20);
      if (ArrayBuffer.isView(part)) return `${part.byteLength} bytes`;
      return part;
    });
    return text ?? typeof value;
  } catch {
    return Object.prototype.toString.call(value);
  }
}
