import { errorText } from "../../base/index.ts";
import { decodeMetadata } from "../../checkpoint/index.ts";
import type { MetadataFact } from "./evidence.ts";

/** Decodes the whole file, to know whether it is complete. */
export function checkMetadata(fact: MetadataFact, bytes: Uint8Array): MetadataFact {
  if (fact.problem !== undefined) return fact;
  try {
    decodeMetadata(bytes, { path: fact.path });
    return fact;
  } catch (error) {
    return { ...fact, problem: errorText(error) };
  }
}
