import { type Rule, signature } from "../rule.ts";

/** RocksDB's local directory cannot make hard links. */
export const rocksdbLocaldirNoHardlinks: Rule = signature({
  code: "rocksdb-localdir-no-hardlinks",
  clues: [
    {
      text: /[Ww]hile (?:link file to|hard ?link)|[Ff]ail(?:ed)? to create hard link/u,
      and: /[Nn]ot [Ss]upported|Operation not permitted|Function not implemented|Protocol error|Permission denied|not supported/u,
      not: /cross-device/u,
      confidence: 0.96,
    },
  ],
  remedies: ["state.backend.rocksdb.localdir"],
});
