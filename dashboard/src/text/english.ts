import type { Need } from "../model/findings.ts";
import type { CriticalPhase } from "../model/critical-path.ts";
import type { SegmentPhase } from "../model/waterfall.ts";
import type { ComparedPhase } from "../model/compare-checkpoints.ts";
import type { CheckpointKind, CheckpointStatus, SubtaskStatus } from "../model/checkpoint.ts";

type By<K extends string> = Readonly<Record<K, string>>;

const segments: By<SegmentPhase> = {
  "start-delay": "Start delay",
  alignment: "Alignment",
  sync: "Sync",
  async: "Async",
  acknowledgement: "Acknowledgement",
  holding: "Not acknowledged: the others wait for it",
  behind: "Not reached by the barrier",
  snapshotting: "Barrier passed on, snapshot missing",
  declined: "Declined",
};

const segmentMeanings: By<SegmentPhase> = {
  "start-delay": "From the trigger until the first barrier arrived.",
  alignment: "From the first barrier until the last.",
  sync: "Snapshot taken; the subtask processes nothing meanwhile.",
  async: "State written while records flow on.",
  acknowledgement: "From the end of writing until the coordinator knew of it.",
  holding: "Every barrier was on its way to it, and it said nothing.",
  behind: "A subtask before it had not passed the barrier on.",
  snapshotting: "A subtask after it acknowledged, so the barrier went through.",
  declined: "It could not take its snapshot.",
};

const heldUp: By<Exclude<CriticalPhase, "silence" | "decline">> = {
  trigger: "it was busy with records and took no notice of the trigger",
  input: "the barrier waited in its input, behind records",
  sync: "it stood still to take its snapshot (sync)",
  async: "it wrote its state (async)",
  acknowledgement: "its acknowledgement was under way",
};

const longest: By<Exclude<CriticalPhase, "silence" | "decline">> = {
  trigger: "until it took notice of the trigger",
  input: "barrier in its input",
  sync: "sync",
  async: "async",
  acknowledgement: "acknowledgement",
};

const compared: By<ComparedPhase> = {
  "start-delay": "Start delay",
  alignment: "Alignment",
  sync: "Sync",
  async: "Async",
  acknowledgement: "Acknowledgement",
  total: "Whole course",
};

const checkpointKinds: By<CheckpointKind> = {
  CHECKPOINT: "Checkpoint",
  SAVEPOINT: "Savepoint",
  STOP_WITH_SAVEPOINT: "Stop with savepoint",
};

const checkpointStatuses: By<CheckpointStatus> = {
  IN_PROGRESS: "in progress",
  COMPLETED: "completed",
  FAILED: "failed",
};

const subtaskStatuses: By<SubtaskStatus> = {
  acknowledged: "acknowledged",
  late: "acknowledged too late",
  pending: "no answer",
  declined: "declined",
  finished: "finished before",
};

/** Text of the waterfall, the verdict and what surrounds them. */
const checkpointText = {
  segments,
  segmentMeanings,
  heldUp,
  longest,
  compared,
  checkpointKinds,
  checkpointStatuses,
  subtaskStatuses,
  allSubtasks: (count: number, name: string) => `All ${count} subtasks of ${name}`,
  someSubtasks: (indexes: string, more: number, parallelism: number, name: string) =>
    more === 0
      ? `Subtasks ${indexes} of ${parallelism} of ${name}`
      : `Subtasks ${indexes} and ${more} more of ${parallelism} of ${name}`,
  verdictHeldUp: (who: string, how: string, time: string, total: string) =>
    `${who} held it up: ${how} for ${time} of ${total}.`,
  verdictQuick: (total: string, who: string, part: string, time: string) =>
    `Nothing held it up: ${total} in all. The longest part was ${who}, ${part}: ${time}.`,
  verdictSilent: (who: string, time: string) => `${who} did not acknowledge within ${time}.`,
  verdictWaiting: (who: string, time: string) =>
    `Waiting for ${who}: no acknowledgement ${time} after the trigger.`,
  verdictDeclined: (who: string, time: string) => `${who} declined the checkpoint after ${time}.`,
  verdictUnknown: "Nothing is known of the subtasks' courses.",
  siblings: (time: string) => `Its siblings needed ${time} for the same.`,
  barrierStuck: (many: boolean, isOver: boolean) =>
    `The barrier was on its way to ${many ? "them" : "it"} and ${isOver ? "never got through" : "has not got through yet"}.`,
  barrierPassed: (many: boolean) =>
    `The barrier went through; what is missing is ${many ? "their own snapshots" : "its own snapshot"}.`,
  othersAnswered: (count: number, time: string) =>
    count === 1
      ? `One other acknowledged within ${time}.`
      : `The ${count} others acknowledged within ${time}.`,
  behind: (count: number) =>
    count === 1
      ? "One subtask behind could not begin."
      : `${count} subtasks behind could not begin.`,
  nowSkewed: (busy: string, siblings: string) =>
    `At the moment it is ${busy} busy and its siblings ${siblings}: most records have keys that belong to it.`,
  nowUneven: (busy: string, siblings: string) =>
    `At the moment it is ${busy} busy and its siblings ${siblings}: it alone is slow.`,
  nowBusy: (busy: string, many: boolean) =>
    `At the moment ${many ? "they are" : "it is"} ${busy} busy: the slowness is ${many ? "theirs" : "its own"}.`,
  nowBlocked: (who: string, busy: string, many: boolean) =>
    `At the moment ${many ? "they" : "it"} cannot emit. Further on: ${who}, ${busy} busy.`,
  reason: (text: string) => `Reason given: ${text}`,
  triggered: "Triggered",
  duration: "Duration",
  stateSize: "State size",
  written: "Newly written",
  processedInFlight: "Processed in alignment",
  persistedInFlight: "In-flight data kept",
  acknowledged: "Acknowledged",
  acknowledgedOf: (count: number, total: number) => `${count} of ${total}`,
  path: "Place",
  unaligned: "unaligned",
  waterfallOf: (id: number) => `Barrier waterfall of checkpoint ${id}`,
  criticalPath: "Critical path",
  criticalPathText: (steps: string) => `Critical path: ${steps}`,
  phase: "Phase",
  subtask: "Subtask",
  status: "Status",
  asTable: "As a table",
  expand: (name: string) => `Show all subtasks of ${name}`,
  collapse: (name: string) => `Show only the slowest subtask of ${name}`,
  slowestOf: (count: number) => `slowest of ${count}`,
  history: "History",
  historyHint: "Each bar is a checkpoint, as high as it took long. Oldest left.",
  checkpointLabel: (kind: string, id: number, status: string, time: string) =>
    `${kind} ${id}, ${status}, ${time}`,
  noCheckpoints: "No checkpoint yet",
  noCheckpointsHint: "The first one appears here as soon as it is triggered.",
  checkpointingOff: "Checkpointing is not enabled for this job",
  checkpointingOffHint: "Set execution.checkpointing.interval to have it.",
  compareWith: "Compare with",
  compareNone: "nothing",
  comparison: (before: number, after: number) => `From checkpoint ${before} to ${after}`,
  comparedTook: (change: string, state: string) => `Duration ${change}, state ${state}.`,
  comparedMost: (who: string, phase: string, change: string) =>
    `The greatest change: ${who}, ${phase}, ${change}.`,
  comparedNothing: "No phase of any subtask changed.",
  before: "Before",
  after: "After",
  change: "Change",
  stateByOperator: "State size by operator",
  stateByOperatorHint: "Completed checkpoints only.",
  total: "Total",
  inspect: "What is in it",
  inspectHint: "Reads the state's names, types and sizes from the files.",
  inspectMissing: "This server cannot look into checkpoints.",
  operator: "Operator",
  stateName: "State",
  stateKind: "Kind",
  stateType: "Type",
  entries: "Entries",
  completedCount: "Completed",
  failedCount: "Failed",
  restoredFrom: (id: number, time: string) => `Restored from checkpoint ${id} at ${time}`,
  interval: "Interval",
  timeout: "Time-out",
  minPause: "Minimum pause",
  mode: "Mode",
  lastCompleted: "Last completed",
  checkpointGone: "The server does not keep this checkpoint any more.",
};

/** Text of everything else. */
const pageText = {
  /** What the language is called in addresses. */
  tag: "en",
  listSeparator: ", ",
  lastSeparator: " and ",
  sentenceSeparator: " ",
  theme: "Theme",
  themeAuto: "Auto",
  themeLight: "Light",
  themeDark: "Dark",
  skipToContent: "Skip to content",
  jobs: "Jobs",
  recentCheckpoints: "Checkpoints",
  recentSummary: (completed: number, failed: number) => `${completed} completed, ${failed} failed`,
  noJobs: "No job is running here",
  noJobsHint: "Start one with: cutwater run job.ts",
  name: "Name",
  state: "State",
  started: "Started",
  tasks: "Tasks",
  tasksRunning: (running: number, total: number) => `${running} of ${total} running`,
  slots: (free: number, total: number) => `${free} of ${total} slots free`,
  workers: (count: number) => (count === 1 ? "1 task manager" : `${count} task managers`),
  version: (text: string) => `version ${text}`,
  loading: "Loading …",
  reconnecting: (seconds: number) =>
    seconds <= 0 ? "Reconnecting …" : `No connection. Trying again in ${seconds} s.`,
  connected: "Connected",
  restarting: "The job is restarting.",
  lastFailed: (id: number, why: string) => `The last checkpoint, ${id}, failed: ${why}`,
  jobMissing: "This job is not known to the server any more",
  jobMissingHint: "It may have been started again under another id.",
  jobRunsAs: (name: string) => `Open the running job ${name}`,
  failedToLoad: "This could not be loaded",
  graph: "Graph",
  checkpoints: "Checkpoints",
  doctor: "Doctor",
  exceptions: "Exceptions",
  configuration: "Configuration",
  logs: "Logs",
  views: "Views of the job",
  vertices: "Operators",
  parallelism: "Parallelism",
  recordsIn: "Records in",
  recordsOut: "Records out",
  flowIn: "In",
  flowOut: "Out",
  perSecond: (value: string) => `${value}/s`,
  watermark: "Watermark",
  noWatermark: "none yet",
  behindBy: (time: string) => `${time} behind`,
  busy: "Busy",
  backpressured: "Backpressured",
  idle: "Idle",
  skew: "Skew",
  skewed: (factorText: string, subtask: string) => `Subtask ${subtask} gets ${factorText} the mean`,
  busyBySubtask: "Busy, by subtask",
  recordsBySubtask: "Records received, by subtask",
  host: "Host",
  attempt: "Attempt",
  close: "Close",
  details: "Details",
  doctorHealthy: "Nothing is wrong with this job's checkpoints.",
  doctorImprovable: "The checkpoints complete. This could be better:",
  doctorCause: (count: number) =>
    count === 1 ? "The cause is found." : `${count} causes are found, the surest first.`,
  doctorUndetermined: "The evidence does not name a cause.",
  wouldSettle: (needs: string) => `What would settle it: ${needs}.`,
  openInGraph: "Show in the graph",
  because: {
    weak: "the evidence is too weak",
    symptom: "it follows from another cause",
  } as Readonly<Record<"weak" | "symptom", string>>,
  needs: {
    logs: "logs",
    rest: "answers over REST",
    settings: "the configuration",
    listing: "a listing of the checkpoint directory",
    stacks: "a thread dump",
    gc: "the garbage collector's log",
    metadata: "the checkpoint's metadata",
  } as Readonly<Record<Need, string>>,
  doctorUnavailable: "This server has no doctor",
  doctorUnavailableHint: "From a terminal: npx cutwater doctor, with the address of this REST API.",
  evidence: "Evidence",
  remedies: "What to change",
  remedyNow: (value: string) => `now ${value}`,
  confidence: (text: string) => `${text} sure`,
  ruledOut: "Ruled out",
  notAssessed: "Not assessed",
  openCheckpoint: (id: number) => `Open checkpoint ${id}`,
  noExceptions: "No exception so far",
  noExceptionsHint: "Failures of tasks appear here with their stack traces.",
  cause: "Cause:",
  stackTrace: "Stack trace",
  truncated: "Older ones are not kept.",
  noLogs: "This server shows no log files.",
  logFiles: "Log files",
  logTail: "The last part is shown.",
  option: "Option",
  value: "Value",
  origin: "Where from",
  filter: "Filter",
  origins: {
    default: "default",
    file: "file",
    environment: "environment",
    "command-line": "command line",
    code: "job code",
    savepoint: "snapshot",
  } as Readonly<
    Record<"default" | "file" | "environment" | "command-line" | "code" | "savepoint", string>
  >,
  noOptions: "No option matches.",
  originsUnknown: "This server does not say where a value comes from.",
  checkpointNow: "Checkpoint",
  savepoint: "Savepoint",
  stop: "Stop",
  cancel: "Cancel",
  actions: "Actions on the job",
  keep: "Leave it",
  checkpointConfirm: "Trigger a checkpoint now?",
  savepointConfirm: "Take a savepoint?",
  savepointText: "The job goes on. The savepoint is yours: it is kept until you delete it.",
  stopConfirm: "Stop the job with a savepoint?",
  stopText: "The job takes a savepoint and ends. It can be started again from there without loss.",
  cancelConfirm: "Cancel the job?",
  cancelText:
    "The job ends at once, without a savepoint. What came after the last completed checkpoint is not in any state.",
  targetDirectory: "Directory (empty: the configured one)",
  drain:
    "Drain: fire all windows and timers first. Restoring from such a savepoint continues after the end of time.",
  format: "Format",
  formatCanonical: "canonical (any backend can read it)",
  formatNative: "native (faster)",
  doSavepoint: "Take savepoint",
  doStop: "Stop the job",
  doCancel: "Cancel the job",
  doCheckpoint: "Trigger",
  requested: (what: string) => `${what}: requested …`,
  running: (what: string) => `${what}: in progress …`,
  done: (what: string, where: string) =>
    where === "" ? `${what}: done.` : `${what}: done, at ${where}`,
  refused: (what: string, why: string) => `${what} failed: ${why}`,
  dismiss: "Dismiss",
  tokenWanted: "This server wants a token",
  tokenHint: "It stands in the terminal where the server was started.",
  token: "Token",
  tokenUse: "Use it",
  savedHistory: "Saved history",
  historyChoose: "Open a history file",
  historyEmpty: "There is no checkpoint in this file.",
  historyBadLines: (lines: string) => `Lines that could not be read: ${lines}`,
  badLineReasons: {
    "not-json": "not JSON",
    "not-a-record": "not a checkpoint record",
    "newer-format": "of another format version",
  } as Readonly<Record<"not-json" | "not-a-record" | "newer-format", string>>,
  restRefused:
    "The address given as ?rest= or ?history= is not on this server. For safety, only paths of this server are used.",
  noTopology: "The server has sent no graph of this job.",
  ago: (time: string) => `${time} ago`,
  states: {
    INITIALIZING: "initializing",
    CREATED: "created",
    RUNNING: "running",
    FAILING: "failing",
    FAILED: "failed",
    CANCELLING: "cancelling",
    CANCELED: "canceled",
    FINISHED: "finished",
    RESTARTING: "restarting",
    SUSPENDED: "suspended",
    RECONCILING: "reconciling",
    SCHEDULED: "scheduled",
    DEPLOYING: "deploying",
    CANCELING: "canceling",
  } as Readonly<Record<string, string>>,
};

/** Every text of the page in English. It is the type that the other languages must satisfy. */
export const ENGLISH = { ...pageText, ...checkpointText };

type Texts<T> = { readonly [K in keyof T]: T[K] extends string ? string : T[K] };

/** All texts of one language. */
export type Catalogue = Texts<typeof ENGLISH>;
