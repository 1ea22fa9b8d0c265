import { describe, test } from "vitest";
import { heapKeyedStateBackend } from "./heap/heap-backend-factory.ts";
import { KEYED_STATE_BACKEND_LAWS, LAW_MAX_PARALLELISM } from "./keyed-state-backend-laws.ts";
import { ManualProcessingTime } from "./manual-processing-time.ts";

const BACKENDS = { heap: heapKeyedStateBackend };

describe.each(Object.entries(BACKENDS))("the %s backend", (_name, factory) => {
  test.each(KEYED_STATE_BACKEND_LAWS.map(({ name, check }) => [name, check] as const))(
    "%s",
    (_law, check) => {
      check((keyType, keyGroupRange) =>
        factory.create(undefined, {
          keyType,
          maxParallelism: LAW_MAX_PARALLELISM,
          keyGroupRange,
          processingTime: new ManualProcessingTime(),
          ownerName: "Law (1/1)",
        }),
      );
    },
  );
});
