/** A word that may stand where the cursor is. */
export interface ProposedWord {
  readonly word: string;
  /** What it means, in a few words. */
  readonly brief: string;
}

/**
 * Keys of settings, each with `=` behind it, and behind that the values that a key may have, where they can be listed.
 *
 * @param prefix - What stands in front of the key in the same word.
 */
export async function proposeSettings(
  partial: string,
  prefix: string,
): Promise<readonly ProposedWord[]> {
  const { OPTION_GROUPS } = await import("../../api/index.ts");
  const definitions = OPTION_GROUPS.flatMap(({ table }) => Object.values(table));
  const equals = partial.indexOf("=");
  if (equals === -1) {
    return definitions
      .filter(({ key }) => key.startsWith(partial))
      .map(({ key, description }) => ({ word: `${prefix}${key}=`, brief: description }));
  }
  const key = partial.slice(0, equals);
  const definition = definitions.find((candidate) => candidate.key === key);
  const words = definition === undefined ? [] : wordsIn(definition.type.expected);
  return words
    .map((word) => `${key}=${word}`)
    .filter((word) => word.startsWith(partial))
    .map((word) => ({ word: `${prefix}${word}`, brief: "" }));
}

/** `"true" or "false"`, `one of ALIGNED, UNALIGNED`: the words of a description that lists them. */
function wordsIn(expected: string): readonly string[] {
  const words = expected
    .replaceAll('"', "")
    .replace(/^one of /, "")
    .split(/, | or /);
  return words.length > 1 && words.every((word) => /^[\w-]+$/.test(word)) ? words : [];
}
