import { durationText } from "../report/html/timeline-chart.ts";
import { sizeText } from "../analysis/quantities.ts";
import type { Language } from "../report/article.ts";
import { articleOn } from "../report/articles/index.ts";
import { wrapText } from "../report/wrap-text.ts";
import { isCauseCode } from "../cause-codes.ts";
import { textsIn } from "../report/texts.ts";
import type { Comparison, Difference, Effect } from "./compare-environments.ts";
import type { Measure } from "./environment.ts";

interface CompareTexts {
  readonly heading: string;
  readonly none: string;
  readonly blamed: string;
  readonly unset: string;
  readonly folded: (count: number, names: string) => string;
  readonly equal: (count: number) => string;
  readonly effect: Readonly<Record<Effect, string>>;
  readonly measure: Readonly<Record<Measure, string>>;
  readonly fact: Readonly<Record<string, string>>;
}

const ENGLISH: CompareTexts = {
  heading: "Differences that matter for checkpoints, the strongest first",
  none: "No difference that matters for checkpoints was found.",
  blamed: "a finding would change it",
  unset: "(not set)",
  folded: (count, names) => `${count} other differences: ${names}`,
  equal: (count) => `${count} settings are equal.`,
  effect: {
    outcome: "outcome",
    version: "version",
    frequency: "how often checkpoints come",
    deadline: "how long is waited",
    alignment: "how barriers travel",
    storage: "where state is written",
    state: "how much is written, and how",
    memory: "memory",
    recovery: "restart and restore",
    load: "how work is spread",
    measured: "measured",
  },
  measure: {
    completed: "completed checkpoints",
    failed: "failed checkpoints",
    typicalDurationMs: "typical duration of a checkpoint",
    stateBytes: "typical size of a checkpoint",
    startDelayMs: "longest start delay",
    alignmentMs: "longest alignment",
    syncMs: "longest synchronous part",
    asyncMs: "longest asynchronous part",
    inFlightBytes: "most data in flight",
    gcPauseMs: "longest pause of garbage collection",
    taskManagers: "TaskManagers",
    restarts: "restarts",
  },
  fact: {
    verdict: "verdict",
    version: "Flink",
    storage: "file system of checkpoints",
    parallelism: "parallelism of",
    maxParallelism: "maximum parallelism of",
    backpressure: "backpressure of",
  },
};

const CHINESE: CompareTexts = {
  heading: "影响检查点的差异，影响大的在前",
  none: "没有发现影响检查点的差异。",
  blamed: "诊断结论建议修改它",
  unset: "（未设置）",
  folded: (count, names) => `其他差异 ${count} 处：${names}`,
  equal: (count) => `相同的配置 ${count} 项。`,
  effect: {
    outcome: "结果",
    version: "版本",
    frequency: "检查点的频率",
    deadline: "等待的时限",
    alignment: "屏障的传播",
    storage: "状态写到哪里",
    state: "写多少、怎样写",
    memory: "内存",
    recovery: "重启与恢复",
    load: "负载的分布",
    measured: "实测",
  },
  measure: {
    completed: "完成的检查点",
    failed: "失败的检查点",
    typicalDurationMs: "检查点的典型耗时",
    stateBytes: "检查点的典型大小",
    startDelayMs: "最长启动延迟",
    alignmentMs: "最长对齐",
    syncMs: "最长同步阶段",
    asyncMs: "最长异步阶段",
    inFlightBytes: "最多在途数据",
    gcPauseMs: "最长垃圾回收停顿",
    taskManagers: "TaskManager 数",
    restarts: "重启次数",
  },
  fact: {
    verdict: "结论",
    version: "Flink",
    storage: "检查点的文件系统",
    parallelism: "并行度：",
    maxParallelism: "最大并行度：",
    backpressure: "反压：",
  },
};

export interface ComparisonOptions {
  readonly language: Language;
  /** Columns of the terminal. */
  readonly width: number;
  /** How the two are called, such as their paths. */
  readonly names: readonly [left: string, right: string];
}

/** Version of the JSON form. A change that breaks readers raises it. */
const COMPARISON_VERSION = 1;

/** The comparison for a terminal: one difference a paragraph, both values under each other. */
export function renderComparison(comparison: Comparison, options: ComparisonOptions): string {
  const { language, names } = options;
  const texts = language === "zh" ? CHINESE : ENGLISH;
  const width = Math.max(40, Math.min(options.width, 120));
  const lines = [`A: ${names[0]}`, `B: ${names[1]}`, ""];
  const { differences, folded, equalSettings } = comparison;
  lines.push(differences.length === 0 ? texts.none : texts.heading);
  for (const difference of differences) {
    const effect = difference.effect === null ? "" : ` (${texts.effect[difference.effect]})`;
    const blamed = difference.isBlamed ? `; ${texts.blamed}` : "";
    lines.push("", ...wrapText(`${nameOf(difference, texts)}${effect}${blamed}`, width, 0));
    const { left, right } = difference;
    const [a, b] = [withoutShared(left, right), withoutShared(right, left)];
    lines.push(...wrapText(`A: ${valueText(difference, a, language, texts)}`, width, 2));
    lines.push(...wrapText(`B: ${valueText(difference, b, language, texts)}`, width, 2));
  }
  lines.push("");
  if (folded.length > 0) {
    const list = folded.map((difference) => nameOf(difference, texts)).join(", ");
    lines.push(...wrapText(texts.folded(folded.length, list), width, 0));
  }
  lines.push(texts.equal(equalSettings));
  return `${lines.join("\n")}\n`;
}

/** The comparison for another program. */
export function renderComparisonJson(
  comparison: Comparison,
  names: ComparisonOptions["names"],
): string {
  const [left, right] = names;
  return `${JSON.stringify({ version: COMPARISON_VERSION, left, right, ...comparison }, undefined, 2)}\n`;
}

/** Values longer than this are lists, of which only what the other side lacks is shown. */
const MAX_SHOWN = 160;

function withoutShared(
  value: Difference["left"],
  other: Difference["left"],
): string | number | null {
  if (typeof value !== "string" || typeof other !== "string" || value.length <= MAX_SHOWN)
    return value;
  const shared = new Set(other.split(/\s+/u));
  const own = value.split(/\s+/u).filter((part) => !shared.has(part));
  return `... ${own.join(" ")}`.slice(0, 4 * MAX_SHOWN);
}

function nameOf({ name, kind }: Difference, texts: CompareTexts): string {
  if (kind === "measure") return texts.measure[name as Measure];
  if (kind === "setting") return name;
  const [, fact = "", rest = ""] = /^(\S+)(?: of (.*))?$/u.exec(name) ?? [];
  return `${texts.fact[fact] ?? fact}${rest === "" ? "" : ` ${rest}`}`;
}

function valueText(
  { name, kind }: Difference,
  value: string | number | null,
  language: Language,
  texts: CompareTexts,
): string {
  if (value === null) return texts.unset;
  if (typeof value === "number") {
    if (name.endsWith("Ms")) return durationText(value);
    return name.endsWith("Bytes") ? sizeText(value) : String(value);
  }
  if (kind !== "fact" || name !== "verdict") return value;
  if (isCauseCode(value)) return `${value}: ${articleOn(value, language).title}`;
  return value === "healthy" || value === "undetermined" ? textsIn(language).verdict[value] : value;
}
