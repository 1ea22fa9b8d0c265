import { options, type Rule, signature } from "../rule.ts";

/** The kernel or the orchestrator killed the process for its memory. */
export const containerOomKilled: Rule = signature({
  code: "container-oom-killed",
  clues: [
    {
      text: /OOMKilled|invoked oom-killer|Memory cgroup out of memory|Out of memory: Kill(?:ed)? process|oom-kill:/iu,
      confidence: 1,
    },
    {
      text: /(?:beyond|exceed(?:ing|ed)?) (?:the )?'?(?:physical|virtual|PHYSICAL|VIRTUAL)?'? ?memory limits?|Container killed (?:by YARN )?for exceeding memory|is running .*beyond .*memory limit/u,
      confidence: 1,
    },
    {
      text: /[Ee]xit(?:ed)?(?: with)?(?: status| code| value)?(?: is)?:? ?\(?137\b|exitCode[=:] ?137|Exit status: 137|[Kk]illed by signal 9/u,
      confidence: 0.95,
    },
    { text: /Killed process \d+ \(java\)/u, confidence: 1 },
  ],
  judge: (confidence, facts) =>
    facts.has(/OutOfMemoryError: (?:Java heap|GC overhead|Metaspace)/u) && confidence < 0.95
      ? 0.5
      : Math.min(0.97, confidence),
  remediesOf(facts) {
    const old = options(facts, "taskmanager.heap.size", "containerized.heap-cutoff-ratio");
    return old.length > 0 && facts.version.max < 113
      ? old
      : options(
          facts,
          "taskmanager.memory.process.size",
          ["taskmanager.memory.jvm-overhead.fraction", "0.2"],
          "state.backend.rocksdb.memory.managed",
        );
  },
});
