import type { TrackedCheckpoint } from "../checkpoint-track.ts";
import type { Language } from "../article.ts";

/** What the page says beyond the text report. */
export interface PageTexts {
  readonly title: string;
  readonly chain: string;
  readonly timeline: string;
  readonly timelineNote: string;
  readonly outcome: Readonly<Record<TrackedCheckpoint["outcome"], string>>;
  readonly savepoint: string;
  readonly started: string;
  readonly took: string;
  readonly size: string;
  readonly end: string;
  readonly notAcknowledged: string;
  readonly option: string;
  readonly current: string;
  readonly proposed: string;
  readonly older: (count: number) => string;
}

const ENGLISH: PageTexts = {
  title: "Checkpoint diagnosis",
  chain: "From symptom to cause",
  timeline: "Timeline of checkpoints",
  timelineNote:
    "A bar lasts from trigger to end. The clock is that of the process that wrote the log.",
  outcome: { completed: "completed", failed: "failed", expired: "expired", open: "no end seen" },
  savepoint: "savepoint",
  started: "Triggered",
  took: "Took",
  size: "State",
  end: "End",
  notAcknowledged: "did not acknowledge",
  option: "Option",
  current: "Now",
  proposed: "Proposed",
  older: (count) => `${count} older checkpoints are not shown.`,
};

const CHINESE: PageTexts = {
  title: "检查点诊断",
  chain: "从症状到原因",
  timeline: "检查点时间线",
  timelineNote: "每一条从触发画到结束，时间是写日志的进程的时钟。",
  outcome: { completed: "完成", failed: "失败", expired: "超时", open: "未见结束" },
  savepoint: "保存点",
  started: "触发时间",
  took: "耗时",
  size: "状态大小",
  end: "结果",
  notAcknowledged: "未确认",
  option: "配置项",
  current: "当前值",
  proposed: "建议值",
  older: (count) => `更早的 ${count} 个检查点未列出。`,
};

export function pageTextsIn(language: Language): PageTexts {
  return language === "zh" ? CHINESE : ENGLISH;
}
