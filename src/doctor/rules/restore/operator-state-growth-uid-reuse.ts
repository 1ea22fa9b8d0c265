import { finding, line, measured, option, options, type Rule, strongest } from "../rule.ts";

const TOO_LARGE = [
  {
    text: /exceeds the maximum (?:akka|pekko) ?framesize|OversizedPayloadException|size of the payload/u,
    confidence: 0.95,
  },
];

/** Operator state grows from checkpoint to checkpoint, since another source took over the same uid. */
export const operatorStateGrowthUidReuse: Rule = {
  code: "operator-state-growth-uid-reuse",
  needs: ["logs", "listing"],
  examine(facts) {
    const sizes = facts.evidence.listing.filter(
      (file) => file.path.endsWith("_metadata") && (file.sizeBytes ?? 0) > 0,
    );
    const first = sizes[0];
    const last = sizes.at(-1);
    const grows =
      sizes.length >= 3 &&
      first !== undefined &&
      last !== undefined &&
      (last.sizeBytes ?? 0) > (first.sizeBytes ?? 0) * 5 &&
      sizes.every(
        (file, index) => index === 0 || (file.sizeBytes ?? 0) >= (sizes[index - 1]?.sizeBytes ?? 0),
      );
    const tooLarge = strongest(facts, TOO_LARGE);
    const remedies = [
      ...options(facts, ["execution.state-recovery.ignore-unclaimed-state", "true"]),
      option(facts, "pekko.framesize"),
    ].filter((remedy) => remedy !== undefined);
    const deploying =
      tooLarge !== undefined &&
      /submitTask|deploy/iu.test(
        `${facts.textOf(tooLarge.match.statement.event)} ${tooLarge.match.statement.event.thrown.flatMap((error) => error.frames.map((frame) => frame.method)).join(" ")}`,
      );
    if (grows && last !== undefined) {
      const size = line(
        last.place,
        `${last.path} ${last.sizeBytes} bytes`,
        `${last.path} ${last.sizeBytes} 字节`,
      );
      if (tooLarge === undefined)
        return measured("operator-state-growth-uid-reuse", 0.7, [size], {}, remedies);
      const found = finding(
        facts,
        "operator-state-growth-uid-reuse",
        0.97,
        tooLarge.match,
        {},
        remedies,
      );
      return { ...found, evidence: [...found.evidence, size] };
    }
    return deploying &&
      tooLarge !== undefined &&
      facts.has(/Restoring job|from savepoint/u) &&
      facts.has(/Kafka ?Source/u)
      ? finding(facts, "operator-state-growth-uid-reuse", 0.6, tooLarge.match, {}, remedies)
      : undefined;
  },
};
