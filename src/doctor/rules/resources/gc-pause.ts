import { finding, line, measured, options, type Rule, strongest } from "../rule.ts";

const SAID = [
  {
    text: /Detected pause in JVM or host machine \(eg GC\): pause of approximately (\d+)ms|GC pauses? of \d+|GarbageCollector.*took \d{5,} ?ms/u,
    confidence: 0.95,
  },
];

/** The process stood still for its garbage collection while the checkpoint waited. */
export const gcPause: Rule = {
  code: "gc-pause",
  needs: ["gc", "logs"],
  examine(facts) {
    const pauses = facts.evidence.gcPauses;
    const remedies = options(
      facts,
      "taskmanager.memory.task.heap.size",
      "taskmanager.memory.process.size",
    );
    const failing =
      facts.failedCheckpoints.length > 0 ||
      facts.has(/[Hh]eartbeat of TaskManager with id \S+ +timed out/u);
    const longest = pauses.toSorted((a, b) => b.durationMs - a.durationMs)[0];
    const total = pauses.reduce((sum, pause) => sum + pause.durationMs, 0);
    const times = pauses.flatMap((pause) => pause.atMs ?? []);
    const spanMs = times.length >= 2 ? Math.max(...times) - Math.min(...times) : 0;
    const share = spanMs > 0 ? total / spanMs : 0;
    if (
      longest !== undefined &&
      (longest.durationMs >= 3000 || (share >= 0.3 && longest.durationMs >= 1000))
    ) {
      const text = `${longest.full ? "full " : ""}pause of ${Math.round(longest.durationMs)} ms; ${Math.round(share * 100)} % of the time over ${pauses.length} pauses`;
      const zh = `${longest.full ? "完全回收" : "回收"}停顿 ${Math.round(longest.durationMs)} 毫秒；${pauses.length} 次停顿共占时间的 ${Math.round(share * 100)} %`;
      const confidence = failing
        ? share >= 0.3 || longest.durationMs >= 10_000
          ? 0.9
          : 0.78
        : 0.7;
      return measured(
        "gc-pause",
        confidence,
        [line(longest.place, text, zh)],
        {
          longestPauseMs: Math.round(longest.durationMs),
          pauseSharePercent: Math.round(share * 100),
        },
        remedies,
        longest.atMs,
      );
    }
    const said = strongest(facts, SAID);
    if (said === undefined || !failing) return undefined;
    const pauseMs = Number(said.match.groups?.[1] ?? 0);
    return finding(
      facts,
      "gc-pause",
      pauseMs >= 5000 ? 0.88 : 0.6,
      said.match,
      { longestPauseMs: pauseMs },
      remedies,
    );
  },
};
