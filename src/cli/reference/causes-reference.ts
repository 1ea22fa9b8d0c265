import {
  articleOn,
  causeFact,
  CAUSES,
  isCauseCode,
  type Language,
  whereText,
} from "../../doctor/index.ts";

interface PageText {
  readonly head: readonly string[];
  readonly where: string;
  readonly why: string;
  readonly fix: string;
  readonly harmless: string;
  /** What stands between a heading and its text, and what ends a sentence. */
  readonly colon: string;
  readonly stop: string;
}

const PAGES: Readonly<Record<Language, PageText>> = {
  en: {
    head: [
      "# Causes",
      "",
      "Every cause that `cutwater doctor` can name, as `cutwater explain <code>` prints it. [中文](causes.zh.md)",
      "",
      "This page is made from the doctor's articles: a test holds it to them (`npx vitest run src/cli/reference -u` writes it anew).",
      "A code, once released, keeps its meaning.",
    ],
    where: "Where",
    why: "Why",
    fix: "What to do",
    harmless: "Explains what was seen; nothing is broken.",
    colon: ": ",
    stop: ".",
  },
  zh: {
    head: [
      "# 原因",
      "",
      "`cutwater doctor` 能够指出的全部原因，与 `cutwater explain --lang zh <code>` 输出的内容相同。[English](causes.md)",
      "",
      "本页由诊断文章生成，并由测试保证一致（用 `npx vitest run src/cli/reference -u` 重新生成）。代码一经发布，含义不变。",
    ],
    where: "位置",
    why: "原因",
    fix: "处理办法",
    harmless: "解释所见现象，并无故障。",
    colon: "：",
    stop: "。",
  },
};

/** `docs/reference/causes.md` and its Chinese sister: the articles on all causes, by category. */
export function causesReference(language: Language): string {
  const page = PAGES[language];
  const codes = Object.keys(CAUSES).filter(isCauseCode);
  const categories = [...new Set(codes.map((code) => causeFact(code).category))];
  const lines = [...page.head];
  for (const category of categories) {
    lines.push("", `## ${category}`);
    for (const code of codes.filter((candidate) => causeFact(candidate).category === category)) {
      const { title, why, fix } = articleOn(code, language);
      lines.push(
        "",
        `### \`${code}\``,
        "",
        `**${asText(title)}** ${page.where}${page.colon}${whereText(code, language)}${page.stop}`,
      );
      if (causeFact(code).harmless === true) lines.push("", `*${page.harmless}*`);
      lines.push(
        "",
        `${page.why}${page.colon}${asText(why)}`,
        "",
        `${page.fix}${page.colon}${asText(fix)}`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Angle brackets would begin a tag. */
function asText(text: string): string {
  return text.replaceAll("<", "\\<");
}
