/** The flags of `cutwater run`. */
export interface RunFlags {
  readonly parallelism?: string;
  readonly slots?: string;
  readonly fromSavepoint?: string;
  readonly allowNonRestoredState: boolean;
  readonly fresh: boolean;
  readonly set?: readonly Setting[];
  readonly config?: string;
  readonly inspect?: string;
  readonly verbose: boolean;
}

/** Key and value of a setting. */
export interface Setting {
  readonly key: string;
  readonly value: string;
}

/** @throws SyntaxError if it is not written so. */
export function parseSetting(text: string): Setting {
  const equals = text.indexOf("=");
  if (equals < 1) throw new SyntaxError("a setting is written key=value");
  return { key: text.slice(0, equals).trim(), value: text.slice(equals + 1).trim() };
}
