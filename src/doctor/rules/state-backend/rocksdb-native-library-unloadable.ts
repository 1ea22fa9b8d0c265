import { options, type Rule, signature } from "../rule.ts";

/** RocksDB's native library cannot be loaded. */
export const rocksdbNativeLibraryUnloadable: Rule = signature({
  code: "rocksdb-native-library-unloadable",
  clues: [
    { text: /Could not load the native RocksDB library/u, confidence: 0.96 },
    { text: /UnsatisfiedLinkError/u, and: /rocksdb/iu, confidence: 0.96 },
    {
      text: /UnsatisfiedLinkError/u,
      frame: /org\.rocksdb\.|ensureRocksDBIsLoaded/u,
      confidence: 0.96,
    },
    { text: /Could not initialize class org\.rocksdb\./u, confidence: 0.9 },
    {
      text: /librocksdbjni\S*.*(?:cannot open shared object|GLIBC|failed to map segment|Exec format|wrong ELF class)/u,
      confidence: 0.95,
    },
  ],
  remediesOf: (facts) =>
    options(facts, "io.tmp.dirs", [
      "state.backend.type",
      facts.version.max < 113 ? "filesystem" : "hashmap",
    ]),
});
