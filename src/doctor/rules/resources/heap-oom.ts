import { option, options, type Rule, signature } from "../rule.ts";
import { parseSizeBytes, sizeText } from "../../analysis/quantities.ts";

/** A process ran out of heap. */
export const heapOom: Rule = signature({
  code: "heap-oom",
  clues: [
    {
      text: /OutOfMemoryError: (?:Java heap space|GC overhead limit exceeded|Requested array size)|java\.lang\.OutOfMemoryError$|Java heap space|GC overhead limit exceeded/u,
      not: /Metaspace|Direct buffer memory|unable to create (?:new )?native thread/u,
      confidence: 0.95,
    },
    { text: /Dumping heap to|Terminating due to java\.lang\.OutOfMemoryError/u, confidence: 0.85 },
  ],
  remediesOf(facts) {
    if (facts.version.max < 110) return options(facts, "taskmanager.heap.size");
    const process = parseSizeBytes(facts.setting("taskmanager.memory.process.size")?.value);
    const proposed =
      process === undefined
        ? undefined
        : sizeText(process * 1.5)
            .replace(" ", "")
            .toLowerCase();
    const hudi = facts.has(/org\.apache\.hudi|hoodie/u);
    return [
      option(facts, "taskmanager.memory.task.heap.size"),
      option(facts, "taskmanager.memory.process.size", proposed),
      ...(hudi ? options(facts, "write.task.max.size", "write.batch.size") : []),
    ];
  },
});
