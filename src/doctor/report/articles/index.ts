import { ARTICLES_EN_1 } from "./en-1.ts";
import { ARTICLES_EN_2 } from "./en-2.ts";
import { ARTICLES_EN_3 } from "./en-3.ts";
import { ARTICLES_ZH_1 } from "./zh-1.ts";
import { ARTICLES_ZH_2 } from "./zh-2.ts";
import { ARTICLES_ZH_3 } from "./zh-3.ts";
import type { CauseCode } from "../../cause-codes.ts";
import type { Article, Language } from "../article.ts";

const ENGLISH: Readonly<Record<CauseCode, Article>> = {
  ...ARTICLES_EN_1,
  ...ARTICLES_EN_2,
  ...ARTICLES_EN_3,
};
const CHINESE: Readonly<Record<CauseCode, Article>> = {
  ...ARTICLES_ZH_1,
  ...ARTICLES_ZH_2,
  ...ARTICLES_ZH_3,
};

/** The article on a cause. A cause without one in either language does not compile. */
export function articleOn(code: CauseCode, language: Language): Article {
  return (language === "zh" ? CHINESE : ENGLISH)[code];
}
