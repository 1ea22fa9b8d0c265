import { line, measured, options, type Rule } from "../rule.ts";

/** Very many small files make metadata, messages and deletions heavy. */
export const rocksdbManySmallFiles: Rule = {
  code: "rocksdb-many-small-files",
  needs: ["listing"],
  examine(facts) {
    const shared = facts.evidence.listing.filter(
      (file) =>
        file.kind === "file" &&
        /\/shared\/|\.sst$/u.test(file.path) &&
        file.sizeBytes !== undefined,
    );
    const small = shared.filter((file) => (file.sizeBytes ?? 0) < 64 * 1024);
    const counted = facts.statements.find((statement) => {
      const count = /^\s*\d+\s+(\d+)\s+(\d+)\s+\S*shared\S*\s*$/mu.exec(statement.text);
      return (
        count !== null && Number(count[1]) >= 5000 && Number(count[2]) / Number(count[1]) < 65_536
      );
    });
    const first = small[0];
    const said = facts.first({
      text: /(?:thousands|tens of thousands|many) (?:of )?(?:tiny|small) (?:sst |SST )?files|\b\d{4,} (?:sst|SST) files/u,
    });
    if (first !== undefined && small.length >= 200 && small.length > shared.length * 0.6) {
      return measured(
        "rocksdb-many-small-files",
        0.82,
        [
          line(
            first.place,
            `${small.length} of ${shared.length} shared files are smaller than 64 kB`,
            `${shared.length} 个共享文件中有 ${small.length} 个小于 64 kB`,
          ),
        ],
        { files: shared.length },
        options(
          facts,
          ["state.backend.rocksdb.manual-compaction.min-interval", "1 min"],
          "execution.checkpointing.file-merging.enabled",
          "state.backend.rocksdb.compaction.level.target-file-size-base",
        ),
      );
    }
    const told = counted ?? said?.statement;
    if (told === undefined) return undefined;
    return measured(
      "rocksdb-many-small-files",
      counted === undefined ? 0.7 : 0.82,
      [line(told.place, told.text)],
      {},
      options(
        facts,
        ["state.backend.rocksdb.manual-compaction.min-interval", "1 min"],
        "execution.checkpointing.file-merging.enabled",
        "state.backend.rocksdb.compaction.level.target-file-size-base",
      ),
    );
  },
};
