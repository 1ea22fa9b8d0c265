import { BY_ELIMINATION, type Rule, signature } from "../rule.ts";
import { isUserFrame } from "../../analysis/user-frames.ts";

const USER_SNAPSHOT =
  /\.(?:snapshotState|prepareSnapshotPreBarrier|prepareCommit|preCommit|snapshotStates?)$/u;

/** As this project's own jobs say it. */
const OWN = /(?:snapshotState|snapshot|prepareCommit) of operator ".*", subtask \S+, failed/u;

/** The user's `snapshotState` throws; that fails the task, whatever failures are tolerated. */
export const userExceptionInSnapshotstate: Rule = signature({
  code: "user-exception-in-snapshotstate",
  clues: [
    { text: /Could not (?:perform checkpoint|complete snapshot) \d+/u, confidence: BY_ELIMINATION },
    { text: OWN, confidence: BY_ELIMINATION },
  ],
  judge(confidence, facts, match) {
    const chain = match.statement.event.thrown;
    const root = chain.findLast((error) => error.role !== "suppressed");
    if (root === undefined || chain.length < 2) return undefined;
    if (
      /CheckpointException|Could not (?:perform|complete)/u.test(`${root.className}${root.message}`)
    )
      return undefined;
    const frames = chain.flatMap((error) => error.frames.map((frame) => frame.method));
    const user = frames.some((frame) => isUserFrame(frame) && USER_SNAPSHOT.test(frame));
    const anyUser = root.frames.slice(0, 12).some((frame) => isUserFrame(frame.method));
    if (OWN.test(facts.textOf(match.statement.event))) return confidence;
    return user ? confidence : anyUser ? confidence - 0.06 : frames.length === 0 ? 0.55 : 0.6;
  },
  remedies: ["restart-strategy.type"],
});
