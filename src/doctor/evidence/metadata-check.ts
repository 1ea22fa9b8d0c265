import { errorText } from "../../base/index.ts";
import { decodeMetadata, snapshotFacts } from "../../checkpoint/index.ts";
import type { MetadataFact } from "./evidence.ts";

/** Decodes the whole file, to know whether it is complete. */
export function checkMetadata(fact: MetadataFact, bytes: Uint8Array): MetadataFact {
  if (fact.problem !== undefined) return fact;
  try {
    const { operators } = snapshotFacts(decodeMetadata(bytes, { path: fact.path }));
    return {
      ...fact,
      operators: operators.map(({ id, name, uid }) => ({
        id,
        name: name ?? undefined,
        uid: uid ?? undefined,
      })),
    };
  } catch (error) {
    return { ...fact, problem: errorText(error) };
  }
}
