import { assert, importModuleInstance } from "../../base/index.ts";
import type { StateOrigin, StateStorage } from "../../checkpoint/index.ts";
import type { ChainedOperator } from "../../graph/index.ts";
import {
  type KeyedStateBackend,
  type KeyedStateBackendFactory,
  type KeyedStateHandle,
  keyGroupRangeOf,
  OperatorStateBackend,
  type OperatorStateHandle,
} from "../../state/index.ts";
import { instanceKey, type Isolation, type LinkState, ownerNameOf } from "./operator-chain.ts";
import type { TaskFacts } from "./task-operator-context.ts";

/** What one subtask of an operator restores: parts of one or more old subtasks. */
export interface RestoredOperatorState {
  readonly origin: StateOrigin;
  readonly managedKeyed: readonly KeyedStateHandle[];
  readonly managedOperator: readonly OperatorStateHandle[];
}

export interface LinkStateParameters {
  readonly facts: TaskFacts;
  readonly operator: ChainedOperator;
  readonly restored: RestoredOperatorState | undefined;
  readonly storage: StateStorage;
  readonly keyedBackend: KeyedStateBackendFactory;
  readonly isolation: Isolation;
}

/** Makes the state of one operator and fills it with what is restored. */
export async function restoreLinkState(parameters: LinkStateParameters): Promise<LinkState> {
  const { facts, operator, restored, storage } = parameters;
  const ownerName = ownerNameOf(facts, operator);
  const keyed = await makeKeyedBackend(parameters, ownerName);
  const operatorState = new OperatorStateBackend(ownerName);
  if (restored === undefined) return { keyed, operatorState };
  for (const handle of restored.managedOperator) {
    const bytes = await storage.readState(handle.stream, restored.origin);
    operatorState.restore({ states: handle.states, bytes });
  }
  if (keyed !== undefined) await restoreKeyed(keyed, restored, storage);
  return { keyed, operatorState };
}

async function makeKeyedBackend(
  { facts, operator, keyedBackend, isolation }: LinkStateParameters,
  ownerName: string,
): Promise<KeyedStateBackend | undefined> {
  const { keyType, id } = operator;
  if (keyType === undefined) return undefined;
  const own =
    isolation === "shared"
      ? undefined
      : await importModuleInstance(keyedBackend.moduleUrl, instanceKey(facts, id, "/state"));
  const { maxParallelism, parallelism, subtaskIndex, processingTime } = facts;
  return keyedBackend.create(own, {
    keyType,
    maxParallelism,
    keyGroupRange: keyGroupRangeOf(subtaskIndex, maxParallelism, parallelism),
    processingTime,
    ownerName,
  });
}

async function restoreKeyed(
  keyed: KeyedStateBackend,
  { managedKeyed, origin }: RestoredOperatorState,
  storage: StateStorage,
): Promise<void> {
  for (const handle of managedKeyed) {
    assert(handle.kind === "key-groups", "keyed state of this engine is in key groups");
    const bytes = await storage.readState(handle.stream, origin);
    keyed.restore({ range: handle.range, offsets: handle.offsets, bytes });
  }
}
