import type { Language } from "../report/article.ts";
import type { LintCode, LintFinding, LintSeverity } from "./lint-finding.ts";

type Details = Readonly<Record<string, string>>;
type Messages = Readonly<Record<LintCode, (details: Details) => string>>;

/** Ends with what to write instead, if that is known. */
function hint(sentence: string, to: string | undefined, lead: string): string {
  return to === undefined || to === "" ? sentence : `${sentence} ${lead} ${to}`;
}

const ENGLISH: Messages = {
  unreadable: (d) => `The file is no YAML: ${d["value"]}`,
  "file-not-read": (d) => `Flink ${d["release"]} does not read ${d["value"]}.`,
  "line-dropped": (d) =>
    `This line is dropped: it is no "key: value" with a blank after the colon (${d["value"]}).`,
  "duplicate-key": (d) => `The key stands again in line ${d["at"]}, which is the one that counts.`,
  "unknown-key": (d) => hint("Flink has no such key, and ignores it.", d["to"], "Probably meant:"),
  "never-a-key": (d) =>
    hint("No release of Flink has this key, though guides name it.", d["to"], "Meant is"),
  "key-not-yet": (d) =>
    hint(`This name is read from Flink ${d["since"]} on.`, d["to"], "Here it is"),
  "key-renamed": (d) => `An older name; it is ${d["to"]} now.`,
  "key-removed": (d) => `Flink ${d["since"]} removed this option.`,
  "key-overridden": (d) =>
    `${d["to"]} in line ${d["at"]} is the newer name of this option and wins.`,
  "wrong-value": (d) =>
    hint(`"${d["value"]}" cannot be read; expected is ${d["expected"]}.`, d["to"], "Write"),
  "value-removed": (d) =>
    hint(`Flink ${d["release"]} has "${d["value"]}" no more.`, d["to"], "Write"),
  "quotes-are-kept": () => "This form of file knows no quotes: they become part of the value.",
  "unit-missing": (d) => `Without a unit this is read as ${d["readAs"]}.`,
  "unaligned-with-concurrent": () =>
    "Unaligned checkpoints with more than one at a time: the job is refused.",
  "unaligned-at-least-once": () => "Unaligned checkpoints need EXACTLY_ONCE; this has no effect.",
  "aligned-timeout-without-unaligned": () => "Without unaligned checkpoints this has no effect.",
  "directory-missing": () =>
    "Storage in files without execution.checkpointing.dir: the job is refused.",
  "state-in-job-manager": () =>
    "Checkpoints lie in the JobManager's memory: state above 5 MB fails, and none outlives it. Set a directory.",
  "directory-not-shared": (d) =>
    `${d["value"]} is another directory on each machine; on more than one a restore finds no files.`,
  "no-failure-tolerated": () =>
    "One failed checkpoint fails the job, also when the storage only hiccups.",
  "pause-limits-interval": () =>
    "The pause is longer than the interval, so checkpoints come rarer than the interval says.",
  "timeout-too-short": () => "The least time-out is 10 ms.",
  "interval-too-short": () => "The least interval is 10 ms.",
  "backlog-interval-too-short": () =>
    "The interval during backlog must not be shorter than the usual one.",
  "inline-threshold-too-large": () => "More than 1 MB is refused here.",
  "full-snapshots": () => "Without incremental checkpoints all of the state is uploaded each time.",
  "nothing-retained": () =>
    "No checkpoint is kept when the job ends, and no directory for savepoints is set: nothing is there to start again from.",
  "retained-without-high-availability": () =>
    "Without high availability a lost JobManager forgets its checkpoints: start again by hand, with the path.",
  "high-availability-incomplete": (d) => `High availability needs ${d["missing"]}.`,
  "changelog-without-path": () => "Needs state.changelog.dstl.dfs.base-path.",
  "local-copies-need-disk": () =>
    "State is written a second time to local disk (io.tmp.dirs); see that it has room.",
  "heap-timers": () =>
    "Timers on the heap are written in the synchronous part of the snapshot; with millions of them that takes seconds.",
  "rocksdb-memory-unbounded": () =>
    "RocksDB's memory is not bounded: a container may be killed (exit code 137).",
  "strategy-not-chosen": (d) => `Has no effect: the chosen strategy is ${d["chosen"]}.`,
  "heartbeat-too-short": () => "The time-out must not be shorter than the interval of heartbeats.",
  "no-claim-needs-full-snapshots": () =>
    "NO_CLAIM needs a state backend that can write a full snapshot at once.",
  "transaction-shorter-than-checkpoint": () =>
    "A transaction may end before its checkpoint does; data would be lost. Make it longer than interval, time-out and restart together.",
};

const CHINESE: Messages = {
  unreadable: (d) => `文件不是合法的 YAML：${d["value"]}`,
  "file-not-read": (d) => `Flink ${d["release"]} 不读取 ${d["value"]}。`,
  "line-dropped": (d) => `这一行会被丢弃：它不是冒号后带空格的“键: 值”（${d["value"]}）。`,
  "duplicate-key": (d) => `该键在第 ${d["at"]} 行再次出现，以那一行为准。`,
  "unknown-key": (d) => hint("Flink 没有这个键，会忽略它。", d["to"], "可能想写："),
  "never-a-key": (d) => hint("任何 Flink 版本都没有这个键，尽管有教程提到它。", d["to"], "应为"),
  "key-not-yet": (d) => hint(`这个名称从 Flink ${d["since"]} 起才会读取。`, d["to"], "此版本写作"),
  "key-renamed": (d) => `这是旧名称，现在是 ${d["to"]}。`,
  "key-removed": (d) => `Flink ${d["since"]} 已删除该配置项。`,
  "key-overridden": (d) => `第 ${d["at"]} 行的 ${d["to"]} 是该配置项的新名称，以它为准。`,
  "wrong-value": (d) => hint(`无法读取“${d["value"]}”；应为 ${d["expected"]}。`, d["to"], "请写作"),
  "value-removed": (d) =>
    hint(`Flink ${d["release"]} 不再支持“${d["value"]}”。`, d["to"], "请写作"),
  "quotes-are-kept": () => "这种文件不识别引号：引号会成为值的一部分。",
  "unit-missing": (d) => `没有单位，会按 ${d["readAs"]} 读取。`,
  "unaligned-with-concurrent": () => "非对齐检查点不能同时有多个：作业会被拒绝。",
  "unaligned-at-least-once": () => "非对齐检查点需要 EXACTLY_ONCE；此项不起作用。",
  "aligned-timeout-without-unaligned": () => "未开启非对齐检查点，此项不起作用。",
  "directory-missing": () => "存储为文件系统却没有 execution.checkpointing.dir：作业会被拒绝。",
  "state-in-job-manager": () =>
    "检查点存放在 JobManager 内存中：状态超过 5 MB 会失败，且随进程消失。请设置目录。",
  "directory-not-shared": (d) =>
    `${d["value"]} 在每台机器上各是一个目录；多台机器时恢复会找不到文件。`,
  "no-failure-tolerated": () => "一次检查点失败就会使作业失败，存储短暂抖动也一样。",
  "pause-limits-interval": () => "最小停顿大于间隔，检查点会比间隔所说的更稀疏。",
  "timeout-too-short": () => "超时时间最少 10 ms。",
  "interval-too-short": () => "间隔最少 10 ms。",
  "backlog-interval-too-short": () => "积压期间的间隔不能短于平时的间隔。",
  "inline-threshold-too-large": () => "此处超过 1 MB 会被拒绝。",
  "full-snapshots": () => "未开启增量检查点，每次都会上传全部状态。",
  "nothing-retained": () => "作业结束时不保留检查点，也没有设置保存点目录：没有可供恢复的内容。",
  "retained-without-high-availability": () =>
    "没有高可用时，JobManager 丢失就会忘记检查点：需要手工按路径恢复。",
  "high-availability-incomplete": (d) => `高可用还需要 ${d["missing"]}。`,
  "changelog-without-path": () => "还需要 state.changelog.dstl.dfs.base-path。",
  "local-copies-need-disk": () => "状态会再写一份到本地磁盘（io.tmp.dirs）；请确认空间足够。",
  "heap-timers": () => "堆上的定时器在快照同步阶段写出；数量达到百万时需要数秒。",
  "rocksdb-memory-unbounded": () => "RocksDB 的内存没有上限：容器可能被杀死（退出码 137）。",
  "strategy-not-chosen": (d) => `不起作用：所选策略是 ${d["chosen"]}。`,
  "heartbeat-too-short": () => "心跳超时不能短于心跳间隔。",
  "no-claim-needs-full-snapshots": () => "NO_CLAIM 需要能一次写出完整快照的状态后端。",
  "transaction-shorter-than-checkpoint": () =>
    "事务可能先于检查点结束而丢失数据。应大于间隔、超时与重启时间之和。",
};

const SEVERITIES: Readonly<Record<Language, Readonly<Record<LintSeverity, string>>>> = {
  en: { error: "error", warning: "warning", note: "note" },
  zh: { error: "错误", warning: "警告", note: "提示" },
};

/** What is wrong, in words. */
export function lintMessage(finding: LintFinding, language: Language): string {
  return (language === "zh" ? CHINESE : ENGLISH)[finding.code](finding.details);
}

export function severityText(severity: LintSeverity, language: Language): string {
  return SEVERITIES[language][severity];
}

/** The last line: how much was found, or that nothing was. */
export function lintSummary(findings: readonly LintFinding[], language: Language): string {
  const count = (severity: LintSeverity): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings, notes] = [count("error"), count("warning"), count("note")];
  const fixable = findings.filter(({ fix }) => fix !== undefined).length;
  if (language === "zh")
    return `错误 ${errors} 个，警告 ${warnings} 个，提示 ${notes} 个${fixable > 0 ? `；--fix 可修改 ${fixable} 个` : ""}`;
  const parts = `${errors} errors, ${warnings} warnings, ${notes} notes`;
  return fixable > 0 ? `${parts}; --fix mends ${fixable}` : parts;
}
