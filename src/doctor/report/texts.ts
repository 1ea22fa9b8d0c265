import type { EvidenceNeed } from "../rules/rule.ts";
import type { Phase, TrianglePlace } from "../cause-codes.ts";
import type { Language } from "./article.ts";

/** Everything a report says apart from articles and quoted lines. */
export interface Texts {
  readonly verdict: Readonly<Record<"cause" | "healthy" | "undetermined", string>>;
  readonly likely: string;
  readonly sure: string;
  readonly confidence: string;
  readonly checkpoint: string;
  readonly where: string;
  readonly phase: Readonly<Record<Phase, string>>;
  readonly place: Readonly<Record<TrianglePlace, string>>;
  readonly why: string;
  readonly evidence: string;
  readonly change: string;
  readonly fix: string;
  readonly unset: string;
  readonly to: string;
  readonly alsoFound: string;
  readonly follows: (symptom: string, cause: string) => string;
  readonly ruledOut: string;
  readonly becauseSymptom: string;
  readonly becauseWeak: string;
  readonly notAssessed: string;
  readonly missing: string;
  readonly needs: Readonly<Record<EvidenceNeed, string>>;
  readonly settle: Readonly<Record<EvidenceNeed, string>>;
  readonly wayOut: string;
  readonly restoreWith: string;
  readonly unusable: string;
  readonly timeline: string;
  readonly completed: (count: number) => string;
  readonly failed: (count: number) => string;
  readonly open: (count: number) => string;
  readonly withoutEnd: (ids: string) => string;
  readonly version: string;
  readonly notRead: string;
  readonly subjects: Readonly<Record<string, string>>;
}

const ENGLISH: Texts = {
  verdict: { cause: "Cause found", healthy: "Healthy", undetermined: "Undetermined" },
  likely: "likely",
  sure: "sure",
  confidence: "confidence",
  checkpoint: "checkpoint",
  where: "Where",
  phase: {
    trigger: "trigger",
    alignment: "alignment of barriers",
    sync: "synchronous part of the snapshot",
    async: "asynchronous part of the snapshot",
    acknowledge: "acknowledgement",
    finalize: "finalisation",
    commit: "commit",
    restore: "restore",
    none: "outside a checkpoint",
  },
  place: {
    "state-backend": "state backend",
    "trigger-and-alignment": "trigger and alignment",
    "external-storage": "external storage",
    program: "program and connectors",
    resources: "resources",
    coordination: "coordination",
    none: "none",
  },
  why: "Why",
  evidence: "Evidence",
  change: "Change",
  fix: "What to do",
  unset: "(not set)",
  to: "->",
  alsoFound: "Also possible",
  follows: (symptom, cause) => `${symptom} follows from ${cause}`,
  ruledOut: "Ruled out",
  becauseSymptom: "a symptom of the cause",
  becauseWeak: "the evidence is too weak",
  notAssessed: "Not assessed",
  missing: "This would settle it",
  needs: {
    logs: "logs",
    rest: "answers of the REST interface",
    settings: "the configuration",
    listing: "a listing of the checkpoint directory",
    stacks: "a thread dump",
    gc: "a garbage collection log",
    metadata: "the _metadata file",
  },
  settle: {
    logs: "the logs of the JobManager and of the TaskManagers that did not acknowledge",
    rest: "GET /jobs/<job id>/checkpoints/details/<checkpoint id> and .../subtasks/<vertex id>; GET /jobs/<job id>/vertices/<vertex id>/backpressure",
    settings: "the configuration in force (config.yaml, or GET /jobs/<job id>/checkpoints/config)",
    listing: "find <checkpoint directory> -ls",
    stacks: "GET /taskmanagers/<id>/thread-dump, while a checkpoint is pending",
    gc: "the garbage collection log of the TaskManager (-Xlog:gc*:file=gc.log)",
    metadata: "the _metadata file that was to be restored",
  },
  wayOut: "Way out",
  restoreWith: "restore with",
  unusable: "cannot be used",
  timeline: "Checkpoints",
  completed: (count) => `${count} completed`,
  failed: (count) => `${count} failed`,
  open: (count) => `${count} without an end`,
  withoutEnd: (ids) => `Checkpoint ${ids} was triggered, and the input does not show how it ended.`,
  version: "Flink",
  notRead: "Not read",
  subjects: {
    checkpointId: "checkpoint",
    operator: "operator",
    subtask: "subtask",
    path: "path",
    size: "size",
    bucket: "bucket",
    scheme: "scheme",
    label: "label",
    taskManager: "TaskManager",
    frame: "at",
    usableCheckpointId: "usable checkpoint",
    operatorId: "operator id",
    uid: "uid",
    type: "type",
    package: "package",
    longestPauseMs: "longest pause (ms)",
    pauseSharePercent: "share of pauses (%)",
    syncMs: "synchronous part (ms)",
    startDelayMs: "start delay (ms)",
    alignmentMs: "alignment (ms)",
    persistedBytes: "data in flight (bytes)",
    stateBytes: "state (bytes)",
    bytesPerSecond: "rate (bytes/s)",
    completedCheckpoints: "completed checkpoints",
    limitBytes: "limit (bytes)",
    sizeBytes: "size (bytes)",
    maxBytes: "largest allowed (bytes)",
    actualBytes: "actual size (bytes)",
    maxParallelism: "maximum parallelism",
    storedMaxParallelism: "stored maximum parallelism",
    parallelism: "parallelism",
    intervalMs: "interval (ms)",
    minPauseMs: "minimum pause (ms)",
    durationMs: "duration (ms)",
    silenceMs: "silence (ms)",
    savepointCheckpointId: "savepoint",
    jobs: "jobs",
    file: "file",
    files: "files",
  },
};

const CHINESE: Texts = {
  verdict: { cause: "已找到原因", healthy: "正常", undetermined: "无法判断" },
  likely: "可能",
  sure: "确定",
  confidence: "置信度",
  checkpoint: "检查点",
  where: "位置",
  phase: {
    trigger: "触发",
    alignment: "屏障对齐",
    sync: "快照同步阶段",
    async: "快照异步阶段",
    acknowledge: "确认",
    finalize: "完成",
    commit: "提交",
    restore: "恢复",
    none: "不在检查点过程内",
  },
  place: {
    "state-backend": "状态后端",
    "trigger-and-alignment": "触发与对齐",
    "external-storage": "外部存储",
    program: "程序与连接器",
    resources: "资源",
    coordination: "协调",
    none: "无",
  },
  why: "原因",
  evidence: "证据",
  change: "修改",
  fix: "处理办法",
  unset: "（未设置）",
  to: "→",
  alsoFound: "其他可能",
  follows: (symptom, cause) => `${symptom} 由 ${cause} 引起`,
  ruledOut: "已排除",
  becauseSymptom: "是该原因的症状",
  becauseWeak: "证据太弱",
  notAssessed: "未评估",
  missing: "以下证据可以确定",
  needs: {
    logs: "日志",
    rest: "REST 接口的应答",
    settings: "配置",
    listing: "检查点目录清单",
    stacks: "线程转储",
    gc: "垃圾回收日志",
    metadata: "_metadata 文件",
  },
  settle: {
    logs: "JobManager 以及未确认的 TaskManager 的日志",
    rest: "GET /jobs/<作业 ID>/checkpoints/details/<检查点 ID> 及 .../subtasks/<顶点 ID>；GET /jobs/<作业 ID>/vertices/<顶点 ID>/backpressure",
    settings: "生效的配置（config.yaml，或 GET /jobs/<作业 ID>/checkpoints/config）",
    listing: "find <检查点目录> -ls",
    stacks: "检查点进行中时的 GET /taskmanagers/<ID>/thread-dump",
    gc: "TaskManager 的垃圾回收日志（-Xlog:gc*:file=gc.log）",
    metadata: "要恢复的 _metadata 文件",
  },
  wayOut: "恢复办法",
  restoreWith: "恢复命令",
  unusable: "不可用",
  timeline: "检查点",
  completed: (count) => `完成 ${count} 个`,
  failed: (count) => `失败 ${count} 个`,
  open: (count) => `未见结束 ${count} 个`,
  withoutEnd: (ids) => `检查点 ${ids} 已触发，输入中看不到它如何结束。`,
  version: "Flink",
  notRead: "未能读取",
  subjects: {
    checkpointId: "检查点",
    operator: "算子",
    subtask: "子任务",
    path: "路径",
    size: "大小",
    bucket: "存储桶",
    scheme: "协议",
    label: "标签",
    taskManager: "TaskManager",
    frame: "调用位置",
    usableCheckpointId: "可用的检查点",
    operatorId: "算子 ID",
    uid: "uid",
    type: "类型",
    package: "包",
    longestPauseMs: "最长停顿（毫秒）",
    pauseSharePercent: "停顿占比（%）",
    syncMs: "同步阶段（毫秒）",
    startDelayMs: "启动延迟（毫秒）",
    alignmentMs: "对齐（毫秒）",
    persistedBytes: "在途数据（字节）",
    stateBytes: "状态（字节）",
    bytesPerSecond: "速率（字节/秒）",
    completedCheckpoints: "完成的检查点数",
    limitBytes: "上限（字节）",
    sizeBytes: "大小（字节）",
    maxBytes: "允许的最大值（字节）",
    actualBytes: "实际大小（字节）",
    maxParallelism: "最大并行度",
    storedMaxParallelism: "存储的最大并行度",
    parallelism: "并行度",
    intervalMs: "间隔（毫秒）",
    minPauseMs: "最小停顿（毫秒）",
    durationMs: "耗时（毫秒）",
    silenceMs: "静默（毫秒）",
    savepointCheckpointId: "保存点",
    jobs: "作业",
    file: "文件",
    files: "文件数",
  },
};

export function textsIn(language: Language): Texts {
  return language === "zh" ? CHINESE : ENGLISH;
}

/** What the subjects of a finding are called, by their key in the report. */
export function subjectNamesIn(language: Language): Readonly<Record<string, string>> {
  return textsIn(language).subjects;
}
