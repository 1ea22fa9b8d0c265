import { type Rule, signature } from "../rule.ts";

/** The process may not open more files. */
export const tooManyOpenFiles: Rule = signature({
  code: "too-many-open-files",
  clues: [{ text: /Too many open files|EMFILE|打开的文件过多/u, confidence: 0.96 }],
  remedies: [["state.backend.rocksdb.files.open", "5000"]],
});
