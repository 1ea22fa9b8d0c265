import { getHeapStatistics } from "node:v8";

import type { Platform } from "../../base/index.ts";

/** What one thread uses of the machine. */
export interface ThreadUsage {
  readonly heapUsedBytes: number;
  readonly heapCommittedBytes: number;
  readonly heapLimitBytes: number;
  /** Buffers outside the heap. */
  readonly externalBytes: number;
  /** Processor time since the thread began; undefined where the system does not tell. */
  readonly cpuMs: number | undefined;
}

/** Of the thread that asks. */
export function threadUsage(platform: Platform): ThreadUsage {
  const heap = getHeapStatistics();
  return {
    heapUsedBytes: heap.used_heap_size,
    heapCommittedBytes: heap.total_heap_size,
    heapLimitBytes: heap.heap_size_limit,
    externalBytes: heap.external_memory,
    cpuMs: platform.threadCpuMs?.(),
  };
}

/** A slot's thread as it is seen from outside. */
export interface SlotWorker {
  readonly slotIndex: number;
  /** Undefined until it has told. */
  readonly usage: ThreadUsage | undefined;
  /** Of one processor, over about the last second: 0 to 1. */
  readonly cpuLoad: number;
  /** The task in whose turn it is, and for how long it has been. */
  readonly turn: { readonly task: string; readonly forMs: number } | undefined;
}
