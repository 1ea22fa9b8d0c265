import type { Facts } from "../../analysis/facts.ts";

/** True if two jobs are seen that write with one prefix of transactional ids. */
export function twoJobsOnePrefix(facts: Facts): boolean {
  const prefixes = facts.evidence.settings.filter((setting) =>
    /transactional-?id-?prefix$/iu.test(setting.key),
  );
  const values = new Map<string, number>();
  for (const setting of prefixes) values.set(setting.value, (values.get(setting.value) ?? 0) + 1);
  if ([...values.values()].some((count) => count > 1)) return true;
  const jobs = new Set(facts.timeline.jobs.flatMap((change) => change.jobId ?? []));
  for (const life of facts.timeline.checkpoints) if (life.jobId !== undefined) jobs.add(life.jobId);
  const running = new Set(
    facts.evidence.rest.jobs.filter((job) => job.state === "RUNNING").map((job) => job.id),
  );
  const ids = new Map<string, Set<string>>();
  for (const event of facts.evidence.events) {
    const id = /transactional(?:Id|\.id)[=: ]+'?([\w.-]+)/u.exec(event.message)?.[1];
    if (id === undefined) continue;
    const writers = ids.get(id) ?? new Set<string>();
    writers.add(event.process ?? event.place.file);
    ids.set(id, writers);
  }
  return (
    jobs.size > 1 ||
    running.size > 1 ||
    [...ids.values()].some((writers) => writers.size > 1) ||
    facts.has(
      /(?:another|second|other|two|both) jobs?.*(?:prefix|transactional)|same (?:transactional[- ]?id[- ]?)?prefix/iu,
    )
  );
}
