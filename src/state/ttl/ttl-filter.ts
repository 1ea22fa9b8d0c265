import type { StateDescriptor, StateTtlConfig } from "../descriptor.ts";
import type { ProcessingTimeService } from "../keyed-state.ts";
import { MapCell } from "../heap/heap-map-state.ts";
import { Ttl } from "./ttl.ts";
import type { TtlValue } from "./ttl-value.ts";

/** Leaves expired parts out of a held value; undefined if nothing is left of it. The value itself stays. */
export function ttlFilter(
  kind: StateDescriptor["kind"],
  config: StateTtlConfig,
  clock: ProcessingTimeService,
): (stored: unknown) => unknown {
  const ttl = new Ttl(config, clock);
  if (kind === "list") {
    return (stored) => {
      const list = stored as readonly TtlValue[];
      if (!list.some((element) => ttl.isExpired(element))) return list;
      const left = list.filter((element) => !ttl.isExpired(element));
      return left.length === 0 ? undefined : left;
    };
  }
  if (kind === "map") {
    return (stored) => {
      const cell = stored as MapCell;
      const entries = [...cell.entries];
      if (!entries.some(([, entry]) => ttl.isExpired(entry.value as TtlValue))) return cell;
      const left = new MapCell();
      for (const [id, entry] of entries) {
        if (!ttl.isExpired(entry.value as TtlValue)) left.set(id, entry.key, entry.value, 0);
      }
      return left.entries.size === 0 ? undefined : left;
    };
  }
  return (stored) => (ttl.isExpired(stored as TtlValue) ? undefined : stored);
}
