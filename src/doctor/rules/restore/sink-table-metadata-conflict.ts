import { type Rule, signature } from "../rule.ts";

/** Files of the table format's own timeline collide when the job starts again. */
export const sinkTableMetadataConflict: Rule = signature({
  code: "sink-table-metadata-conflict",
  clues: [
    {
      text: /(?:FileAlreadyExists|already exists|Failed to create file)/u,
      and: /\.hoodie\/|hoodie/iu,
      confidence: 0.93,
    },
    {
      text: /HoodieIOException|HoodieException|HoodieMetadataException/u,
      and: /timeline|instant|metadata|\.hoodie/iu,
      not: /while waiting for/u,
      roles: ["restore", "job", "task", "report"],
      confidence: 0.86,
    },
  ],
});
