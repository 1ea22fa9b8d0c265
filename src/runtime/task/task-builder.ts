import { importModuleInstance, type Logger, type Platform, present } from "../../base/index.ts";
import {
  type BarrierHandlerOptions,
  type CheckpointResponder,
  createBarrierHandler,
  type StateStorage,
  type SubtaskRef,
} from "../../checkpoint/index.ts";
import type { ChainedOperator, JobEdge, JobGraph, JobVertex } from "../../graph/index.ts";
import {
  type OperatorFactory,
  sourceOperator,
  type SourceOperator,
  type SourceSplit,
  userFunctionFailure,
} from "../../operators/index.ts";
import type { KeyedStateBackendFactory } from "../../state/index.ts";
import type { ChannelWriter } from "../exchange/channel.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { edgeCut } from "../exchange/portable-output.ts";
import * as sharedPump from "../exchange/pump.ts";
import type { PumpModule } from "../exchange/pump.ts";
import * as sharedRecordOutput from "../exchange/record-output.ts";
import type { RecordOutputModule, RecordOutputParameters } from "../exchange/record-output.ts";
import { inputChannels, type InputGate, recordedChannels } from "../channel-state/input-gate.ts";
import { InFlightRecorder } from "../channel-state/in-flight-recorder.ts";
import { readInFlight } from "../channel-state/restore-in-flight.ts";
import { UnalignedInput } from "../channel-state/unaligned-input.ts";
import { supportsUnaligned } from "../channel-state/unaligned-support.ts";
import { FinishedHead } from "./finished-head.ts";
import { InputHead, type InputHeadParameters } from "./input-head.ts";
import {
  buildChain,
  emittedBy,
  type ChainEdge,
  type ChainLink,
  instanceKey,
  type Isolation,
} from "./operator-chain.ts";
import { SourceHead } from "./source-head.ts";
import { SubtaskCheckpoints } from "./subtask-checkpoint.ts";
import { restoreLinkState } from "./subtask-state.ts";
import type { TaskSurroundings } from "./task.ts";
import { TaskBody } from "./task-body.ts";
import { type RestoredElement, TaskInput } from "./task-input.ts";
import type { ReaderEvent, TaskDeployment } from "../slot/task-messages.ts";
import type { TaskFacts } from "./task-operator-context.ts";

/** What all tasks of a slot are built with. */
export interface TaskEnvironment {
  readonly graph: JobGraph;
  readonly platform: Platform;
  readonly log: Logger;
  readonly storage: StateStorage;
  readonly keyedBackend: KeyedStateBackendFactory;
  readonly isolation: Isolation;
  readonly autoWatermarkIntervalMs: number;
  /** Whether a source may read on all splits where it cannot hold back one alone. */
  readonly allowsUnalignedSplits: boolean;
  /** Records that a source emits in one go. */
  readonly recordsPerCall: number;
  /** True if the job takes checkpoints. */
  readonly isCheckpointed: boolean;
  readonly isPortable: boolean;
  readonly barriers: BarrierHandlerOptions;
  readonly responder: CheckpointResponder;
  readonly sendReaderEvent: (task: SubtaskRef, operatorId: string, event: ReaderEvent) => void;
  /** For tests that break it on purpose. */
  readonly createBarrierHandler?: typeof createBarrierHandler | undefined;
}

export interface TaskBuild {
  readonly environment: TaskEnvironment;
  readonly exchange: Exchange;
  readonly vertex: JobVertex;
  readonly deployment: TaskDeployment;
  readonly ref: SubtaskRef;
  readonly name: string;
  readonly restoredCheckpointId: number | undefined;
  readonly surroundings: TaskSurroundings;
}

/** Makes, restores and opens everything that a task consists of. */
export async function buildTaskBody(build: TaskBuild): Promise<TaskBody> {
  const { environment, exchange, vertex, ref } = build;
  const facts = factsOf(build);
  const outgoing = environment.graph.edges.filter((edge) => edge.sourceVertexId === vertex.id);
  const writers = outgoing.map((edge) => exchange.writersOf(edge, ref.subtaskIndex));
  let links: readonly ChainLink[] = [];
  const edges = await Promise.all(
    outgoing.map((edge, index) => {
      const channels = present(writers[index], "one per edge");
      const emittedCount = () => emittedBy(links[edge.sourceOperator], edge.tag);
      return makeEdge(build, facts, edge, { channels, emittedCount });
    }),
  );
  if (!build.deployment.isFinished) links = await makeLinks(build, facts, edges);
  try {
    registerReader(build, links);
    await open(links);
    return await assemble(build, facts, { links, edges, writers: writers.flat() });
  } catch (error) {
    await Promise.allSettled(links.map(async ({ operator }) => operator.close?.()));
    throw error;
  }
}

async function makeLinks(
  { environment, vertex, deployment, surroundings, ref }: TaskBuild,
  facts: TaskFacts,
  edges: readonly ChainEdge[],
): Promise<readonly ChainLink[]> {
  const { storage, keyedBackend, isolation } = environment;
  const states = await Promise.all(
    vertex.operators.map((operator) => {
      const restored = deployment.state.get(operator.id);
      return restoreLinkState({ facts, operator, restored, storage, keyedBackend, isolation });
    }),
  );
  const factories = await Promise.all(
    vertex.operators.map((operator) => factoryOf(environment, facts, ref, operator)),
  );
  return buildChain({
    facts,
    vertex,
    isolation,
    edges,
    states,
    factories,
    execute: (action) => surroundings.mailbox.putOperator(action),
    fail: surroundings.fail,
  });
}

interface Made {
  readonly links: readonly ChainLink[];
  readonly edges: readonly ChainEdge[];
  readonly writers: readonly ChannelWriter[];
}

async function assemble(
  build: TaskBuild,
  facts: TaskFacts,
  { links, edges, writers }: Made,
): Promise<TaskBody> {
  const { environment, ref, surroundings } = build;
  const gates = inputGates(build);
  const channels = inputChannels(gates);
  const makeHandler = environment.createBarrierHandler ?? createBarrierHandler;
  const handler = makeHandler(channels.length, environment.barriers);
  const outputs = edges.map(({ output }) => output);
  const checkpoints = new SubtaskCheckpoints({
    task: ref,
    taskName: build.name,
    restoredCheckpointId: build.restoredCheckpointId,
    platform: environment.platform,
    log: environment.log,
    storage: environment.storage,
    responder: environment.responder,
    links,
    edges,
    inTurn: (action) => surroundings.mailbox.putControl(action),
    fail: surroundings.fail,
  });
  const input = new TaskInput(channels, handler, await restoredElements(build, gates));
  const source = sourceHead(links, environment);
  const recorder = environment.barriers.unalignedEnabled
    ? new InFlightRecorder(recordedChannels(gates))
    : undefined;
  const head =
    links.length === 0
      ? new FinishedHead(input, outputs)
      : (source ?? (await inputHead(build, facts, links, { input, handler, recorder })));
  if (head instanceof InputHead) links[0]?.context.metrics.takesFrom(() => head.recordCount);
  const unaligned =
    head instanceof InputHead && recorder !== undefined
      ? new UnalignedInput({
          input,
          handler,
          recorder,
          position: () => head.position,
          nowMs: () => environment.platform.nowMs(),
          onBarrierActions: surroundings.onBarrierActions,
          wakeAt: (atMs) => wakeAt(build, atMs),
        })
      : undefined;
  return new TaskBody({
    links,
    outputs,
    writers,
    head,
    source,
    handler,
    checkpoints,
    unaligned,
    flow: surroundings.flow,
    nowMs: () => environment.platform.nowMs(),
    readers: input.channels.map(({ reader }) => reader),
    queuedRecords: () => input.queuedRecords(),
    takeAlignedBytes: () => 0,
  });
}

function factsOf({
  environment,
  vertex,
  ref,
  restoredCheckpointId,
  surroundings,
}: TaskBuild): TaskFacts {
  return {
    jobName: environment.graph.name,
    jobId: environment.graph.jobId,
    subtaskIndex: ref.subtaskIndex,
    parallelism: vertex.parallelism,
    maxParallelism: vertex.maxParallelism,
    attempt: ref.attempt,
    restoredCheckpointId,
    autoWatermarkIntervalMs: environment.autoWatermarkIntervalMs,
    isCheckpointed: environment.isCheckpointed,
    isPortable: environment.isPortable,
    platform: environment.platform,
    log: environment.log,
    processingTime: surroundings.timers,
  };
}

/** The enumerator hears of a reader before the reader's first request. */
function registerReader({ environment, ref }: TaskBuild, links: readonly ChainLink[]): void {
  const head = links[0]?.spec;
  if (head?.logic.kind !== "source") return;
  environment.sendReaderEvent(ref, head.id, { kind: "register" });
}

/** Declares state and opens, tail first. */
async function open(links: readonly ChainLink[]): Promise<void> {
  for (const { operator } of links.toReversed()) {
    operator.initializeState?.();
    await operator.open?.();
  }
}

async function makeEdge(
  { environment, ref, vertex, surroundings }: TaskBuild,
  facts: TaskFacts,
  edge: JobEdge,
  ends: Pick<RecordOutputParameters, "channels" | "emittedCount">,
): Promise<ChainEdge> {
  const module: RecordOutputModule =
    environment.isolation === "shared"
      ? sharedRecordOutput
      : await importModuleInstance(
          sharedRecordOutput.moduleUrl,
          instanceKey(facts, edgeKey(environment.graph, edge)),
        );
  const operator = present(
    vertex.operators[edge.sourceOperator],
    "the edge's operator is in the vertex",
  );
  const target = vertexOf(environment.graph, edge.targetVertexId);
  const place = {
    operatorName: operator.name,
    subtaskIndex: ref.subtaskIndex,
    parallelism: vertex.parallelism,
    keyed: undefined,
  };
  const cut = edgeCut(environment.isPortable, edge, `${operator.name} to ${target.name}`);
  const output = module.createRecordOutput({
    ...ends,
    flow: surroundings.flow,
    partitioner: cut.partitioner,
    maxParallelism: target.maxParallelism,
    random: () => environment.platform.random(),
    userError: (method, record, error) => userFunctionFailure(place, method, record, error),
  });
  const { sourceOperator, tag, partitioner } = edge;
  const whole = cut.wrap(output);
  return { sourceOperator, tag, output: whole, supportsUnaligned: supportsUnaligned(partitioner) };
}

function edgeKey(graph: JobGraph, edge: JobEdge): string {
  return `${edge.sourceVertexId}/edge-${graph.edges.indexOf(edge)}`;
}

async function factoryOf(
  { sendReaderEvent, isolation, allowsUnalignedSplits }: TaskEnvironment,
  facts: TaskFacts,
  ref: SubtaskRef,
  { logic, id }: ChainedOperator,
): Promise<OperatorFactory> {
  if (logic.kind === "operator") return logic.factory;
  const { readerModuleUrl } = logic.source;
  const ownReader =
    isolation === "shared" || readerModuleUrl === undefined
      ? undefined
      : await importModuleInstance(readerModuleUrl, instanceKey(facts, id, "/reader"));
  return sourceOperator({
    ownReader,
    source: logic.source,
    watermarks: logic.watermarks,
    sendSplitRequest: () => sendReaderEvent(ref, id, { kind: "split-request" }),
    reportWatermark: (watermark) =>
      sendReaderEvent(ref, id, { kind: "reported-watermark", watermark }),
    allowsUnalignedSplits,
  }) as OperatorFactory;
}

function inputGates({ environment, vertex, ref, exchange }: TaskBuild): readonly InputGate[] {
  return environment.graph.edges
    .filter((edge) => edge.targetVertexId === vertex.id)
    .map((edge) => ({ edge, readers: exchange.readersOf(edge, ref.subtaskIndex) }));
}

/** What was in flight towards the task. */
async function restoredElements(
  { environment, vertex, ref, deployment }: TaskBuild,
  gates: readonly InputGate[],
): Promise<readonly RestoredElement[]> {
  let firstChannel = 0;
  const channelCount = gates.reduce((count, { readers }) => count + readers.length, 0);
  return readInFlight({
    channelCount,
    states: deployment.isFinished ? [] : deployment.inFlight,
    storage: environment.storage,
    gates: gates.map(({ edge, readers }) => {
      const gate = { edge, firstChannel };
      firstChannel += readers.length;
      return gate;
    }),
    vertexName: vertex.name,
    subtaskIndex: ref.subtaskIndex,
    parallelism: vertex.parallelism,
    maxParallelism: vertex.maxParallelism,
  });
}

function wakeAt({ environment, surroundings }: TaskBuild, atMs: number): void {
  const { platform } = environment;
  const wake = () => surroundings.mailbox.putControl(() => undefined);
  platform.after(Math.max(0, atMs - platform.nowMs()), wake);
}

function sourceHead(
  links: readonly ChainLink[],
  { recordsPerCall, platform }: TaskEnvironment,
): SourceHead | undefined {
  const first = links[0];
  if (first?.spec.logic.kind !== "source") return undefined;
  const { logic } = first.spec;
  const source = first.operator as SourceOperator<unknown, SourceSplit>;
  return new SourceHead(source, logic.source.splitSerializer, recordsPerCall, () =>
    platform.monotonicMs(),
  );
}

async function inputHead(
  { environment, vertex, surroundings }: TaskBuild,
  facts: TaskFacts,
  links: readonly ChainLink[],
  parts: Pick<InputHeadParameters, "input" | "handler" | "recorder">,
): Promise<InputHead> {
  const { input } = parts;
  const { operator, keyed } = present(links[0], "a chain has a head");
  const inputCount = 1 + Math.max(...input.channels.map(({ inputIndex }) => inputIndex));
  const pumps = await Promise.all(
    Array.from({ length: inputCount }, async (_, index): Promise<PumpModule> => {
      if (environment.isolation === "shared") return sharedPump;
      return importModuleInstance(
        sharedPump.moduleUrl,
        instanceKey(facts, vertex.id, `/input-${index}`),
      );
    }),
  );
  return new InputHead({
    ...parts,
    operator,
    inputCount,
    keyed,
    pumps,
    flow: surroundings.flow,
    nowMs: () => environment.platform.nowMs(),
    monotonicMs: () => environment.platform.monotonicMs(),
    onBarrierActions: surroundings.onBarrierActions,
    onAlignedRecords: () => undefined,
  });
}

export function vertexOf(graph: JobGraph, id: string): JobVertex {
  return present(
    graph.vertices.find((vertex) => vertex.id === id),
    "the vertex is in the graph",
  );
}
