import { options, type Rule, signature } from "../rule.ts";

/** A file system has no space left. */
export const diskFull: Rule = signature({
  code: "disk-full",
  clues: [
    {
      text: /No space left on device|ENOSPC|There is not enough space on the disk|[Dd]isk quota exceeded|not enough disk space|No local storage directories available.*space|DiskOutOfSpaceException/u,
      confidence: 0.96,
    },
  ],
  subjects: (match) => ({
    path: /(?:file|appending to file|open(?: a)? file(?: for appending)?): ?(\/\S+?):? No space/u.exec(
      match.statement.text,
    )?.[1],
  }),
  remediesOf(facts, match) {
    const text = `${facts.textOf(match.statement.event)}`;
    const frames = match.statement.event.thrown
      .flatMap((error) => error.frames.map((frame) => frame.method))
      .join(" ");
    const local =
      /rocksdb|\/tmp|flink-io|localState|spill/iu.test(text) ||
      (/rocksdb/iu.test(frames) && !/FsCheckpoint/u.test(frames));
    return local
      ? options(facts, "state.backend.rocksdb.localdir", "io.tmp.dirs")
      : options(
          facts,
          "execution.checkpointing.num-retained",
          ["execution.checkpointing.incremental", "true"],
          "execution.checkpointing.dir",
          "io.tmp.dirs",
        );
  },
});
