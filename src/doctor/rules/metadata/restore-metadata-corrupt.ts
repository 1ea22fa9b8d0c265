import { finding, line, measured, options, type Rule, strongest } from "../rule.ts";

const CLUES = [
  {
    text: /Unexpected magic number|incorrect magic number|invalid checkpoint ID|invalid number of master states|found trailing bytes in master state|Unknown KeyedStateHandle type|Unknown implementation of StreamStateHandle|Reading invalid (?:Keyed|Operator)StateHandle|StreamCorruptedException/u,
    and: /checkpoint|savepoint|metadata|magic/iu,
    not: /Serializer\.deserialize|SimpleVersioned/u,
    confidence: 0.93,
  },
  {
    text: /(?:IOException|IllegalState|IndexOutOfBounds|NegativeArraySize|UTFDataFormat|IllegalArgument)\w*/u,
    frame:
      /Checkpoints\.load(?:Checkpoint|AndValidate)\w*|MetadataV\d\w*Serializer\w*\.|SavepointV\d\w*Serializer\./u,
    not: /Cannot map checkpoint|Max parallelism|version number|EOFException/u,
    confidence: 0.88,
  },
];

/** `_metadata` cannot be decoded. */
export const restoreMetadataCorrupt: Rule = {
  code: "restore-metadata-corrupt",
  needs: ["logs", "metadata"],
  examine(facts) {
    const remedies = options(
      facts,
      ["execution.checkpointing.num-retained", "3"],
      "execution.state-recovery.path",
    );
    const best = strongest(facts, CLUES);
    if (best !== undefined)
      return finding(facts, "restore-metadata-corrupt", best.confidence, best.match, {}, remedies);
    const damaged = facts.evidence.metadata.find((fact) => fact.problem !== undefined);
    return damaged === undefined
      ? undefined
      : measured(
          "restore-metadata-corrupt",
          0.76,
          [
            line(
              { file: damaged.path, line: 0 },
              `${damaged.path} ${damaged.problem}`,
              `${damaged.path} 已损坏`,
            ),
          ],
          { path: damaged.path },
          remedies,
        );
  },
};
