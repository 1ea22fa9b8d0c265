import type { KeyedStateBackend, KeyedStateBackendParameters } from "../keyed-state-backend.ts";
import { HeapKeyedStateBackend } from "./heap-keyed-state-backend.ts";
import * as shared from "./heap-states.ts";

/** Makes keyed state backends of one kind. */
export interface KeyedStateBackendFactory {
  /**
   * The module of the code that runs per record. The runtime imports it once per operator (`importModuleInstance`) and hands the
   * instance to `create`.
   */
  readonly moduleUrl: string;
  /** @param own - The operator's instance of that module; undefined for the one that all share. */
  create(own: unknown, parameters: KeyedStateBackendParameters): KeyedStateBackend;
}

/** Flink's `hashmap` backend: state in the heap of the process. */
export const heapKeyedStateBackend: KeyedStateBackendFactory = {
  moduleUrl: shared.HEAP_STATES_URL,
  create: (own, parameters) =>
    new HeapKeyedStateBackend((own as typeof shared | undefined) ?? shared, parameters),
};
