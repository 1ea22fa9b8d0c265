import type { Facts } from "../../analysis/facts.ts";

/** True if RocksDB keeps the state and the heap keeps the timers. */
export function heapTimers(facts: Facts): boolean {
  const factory = facts.setting("state.backend.rocksdb.timer-service.factory")?.value;
  const backend =
    facts.setting("state.backend.type")?.value ?? facts.checkpointConfig?.backend ?? "";
  return (
    factory !== undefined &&
    /^heap$/iu.test(factory) &&
    (backend === "" || /rocksdb/iu.test(backend))
  );
}
