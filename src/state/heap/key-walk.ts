import { compareKeys } from "../../serde/index.ts";
import type { SlotTable, StateTables } from "./heap-states.ts";

/** The keys that have an entry in any namespace of a state, in the order of their canonical bytes. */
export function distinctKeys(
  tables: StateTables,
): { readonly key: unknown; readonly hash: number }[] {
  const found = new Map<unknown, { readonly key: unknown; readonly hash: number }>();
  for (const table of tablesOf(tables)) {
    for (let slot = 0; slot < table.limit; slot++) {
      if (table.isLive(slot))
        found.set(table.idAt(slot), { key: table.keyAt(slot), hash: table.hashAt(slot) });
    }
  }
  return [...found.values()].sort((a, b) => compareKeys(a.key, b.key));
}

/** All tables of a state. */
export function tablesOf(tables: StateTables): SlotTable[] {
  if (tables.bySpace !== undefined) return [...tables.bySpace.values()].map(({ table }) => table);
  return tables.current === undefined ? [] : [tables.current];
}
