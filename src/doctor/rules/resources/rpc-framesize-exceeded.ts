import { option, options, type Rule, signature } from "../rule.ts";
import { parseSizeBytes } from "../../analysis/quantities.ts";

const SIZES =
  /max(?:imum)? allowed size (\d+) bytes, actual size of encoded [^ ]+ (?:\S+ )?was (\d+) bytes|rpc invocation size (\d+) exceeds|size (\d+) exceeds the maximum/u;

/** A message between the processes is larger than allowed, and is dropped. */
export const rpcFramesizeExceeded: Rule = signature({
  code: "rpc-framesize-exceeded",
  clues: [
    { text: /OversizedPayloadException|Discarding oversized payload/u, confidence: 1.1 },
    {
      text: /exceeds the maximum (?:akka|pekko) ?framesize|maximum (?:akka|pekko) framesize|size of the payload .* exceeds/iu,
      confidence: 1.0,
    },
  ],
  judge(confidence, facts, match) {
    // A task that is too large to deploy after a restore has grown for a reason of its own.
    const frames = match.statement.event.thrown
      .flatMap((error) => error.frames.map((frame) => frame.method))
      .join(" ");
    const deploying =
      /submitTask|Cannot deploy task/u.test(`${frames} ${facts.textOf(match.statement.event)}`) &&
      facts.has(/Restoring job|from savepoint/u);
    return deploying ? 0.78 : Math.min(0.96, confidence);
  },
  subjects: (match) => {
    const sizes = SIZES.exec(match.statement.text);
    return { actualBytes: sizes === null ? undefined : Number(sizes[2] ?? sizes[3] ?? sizes[4]) };
  },
  remediesOf(facts, match) {
    const sizes = SIZES.exec(match.statement.text);
    const actual = sizes === null ? undefined : Number(sizes[2] ?? sizes[3] ?? sizes[4]);
    const current = parseSizeBytes(facts.setting("pekko.framesize")?.value) ?? 10_485_760;
    const wanted = Math.max(actual === undefined ? current * 2 : actual * 2, current);
    const onHeap =
      facts.setting("execution.checkpointing.dir") === undefined &&
      /JobManager/u.test(facts.checkpointConfig?.storage ?? "JobManager");
    return [
      option(facts, "pekko.framesize", `${Math.ceil(wanted / 1_048_576) * 1_048_576}b`),
      ...(onHeap
        ? options(facts, "execution.checkpointing.dir", [
            "execution.checkpointing.storage",
            "filesystem",
          ])
        : []),
      option(facts, "execution.checkpointing.data-inline-threshold", "1kb"),
    ];
  },
});
