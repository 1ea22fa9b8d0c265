import { finding, line, measured, options, type Rule, strongest } from "../rule.ts";

const SAID = [
  {
    text: /Checkpointing has not been enabled|Checkpointing is not enabled|checkpointing is (?:disabled|not enabled)|checkpoint(?:ing)? (?:must|should|needs to) be enabled/iu,
    confidence: 1.1,
  },
];
const WAITING =
  /waiting for a complete checkpoint|wait(?:ing|s)? for (?:the )?(?:next )?checkpoint|need(?:s)? checkpoint(?:ing)? to be enabled|in-progress|StreamingFileSink|rolls? on (?:every )?checkpoint/iu;

/** No interval is configured, so nothing is ever triggered. */
export const checkpointingNotEnabled: Rule = {
  code: "checkpointing-not-enabled",
  needs: ["logs", "settings", "rest"],
  examine(facts) {
    const remedies = options(facts, ["execution.checkpointing.interval", "3 min"]);
    if (facts.timeline.checkpoints.length > 0 || facts.evidence.rest.checkpoints.length > 0)
      return undefined;
    const said = strongest(facts, SAID);
    if (said !== undefined)
      return finding(
        facts,
        "checkpointing-not-enabled",
        Math.min(0.95, said.confidence),
        said.match,
        {},
        remedies,
      );
    const off = facts.evidence.rest.checkpointConfig.find(
      (config) => (config.intervalMs ?? 0) >= 9_000_000_000_000_000_000,
    );
    if (off !== undefined)
      return measured(
        "checkpointing-not-enabled",
        0.93,
        [line(off.place, "the interval is unset", "未设置间隔")],
        {},
        remedies,
      );
    const interval = facts.setting("execution.checkpointing.interval");
    const failing = facts.statements.some((statement) =>
      /task|job|restore|checkpoint/u.test(statement.role),
    );
    const waiting = facts.first({ text: WAITING });
    if (
      interval !== undefined ||
      failing ||
      waiting === undefined ||
      facts.evidence.events.some(
        (event) => event.logger?.endsWith("CheckpointCoordinator") === true,
      )
    )
      return undefined;
    return finding(
      facts,
      "checkpointing-not-enabled",
      facts.evidence.settings.length > 0 ? 0.9 : 0.8,
      { ...waiting },
      {},
      remedies,
    );
  },
};
