import { heapTimers } from "./heap-timers.ts";
import { line, measured, options, type Rule } from "../rule.ts";
import { expiryOf } from "../../analysis/expiry.ts";

/** RocksDB with timers on the heap writes them all in the synchronous phase. */
export const heapTimersSyncSnapshot: Rule = {
  code: "heap-timers-sync-snapshot",
  needs: ["settings", "rest"],
  examine(facts) {
    if (!heapTimers(facts)) return undefined;
    const slow = expiryOf(facts).slowest;
    const setting = facts.setting("state.backend.rocksdb.timer-service.factory");
    const place = setting?.place ?? slow?.line ?? { file: "", line: 0 };
    const syncs = slow?.kind === "sync" && slow.ms >= 1000;
    if (
      !syncs &&
      !facts.has(
        /synchronous part|finished synchronous part|InternalTimeServiceManager|HeapPriorityQueue/u,
      )
    )
      return undefined;
    return measured(
      "heap-timers-sync-snapshot",
      syncs ? 0.92 : 0.7,
      [
        line(
          place,
          setting === undefined
            ? "timers are kept on the heap"
            : `${setting.key}: ${setting.value}`,
        ),
      ],
      { syncMs: slow?.ms, operator: slow?.vertexName },
      options(facts, ["state.backend.rocksdb.timer-service.factory", "ROCKSDB"]),
    );
  },
};
