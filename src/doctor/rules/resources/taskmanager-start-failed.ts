import { options, type Rule, signature } from "../rule.ts";

/** A TaskManager's process ended while it started. */
export const taskmanagerStartFailed: Rule = signature({
  code: "taskmanager-start-failed",
  clues: [
    {
      text: /Failed to start the TaskManagerRunner|TaskManager initialization failed|Could not start TaskManager in container|Failed to (?:initialize|run) the TaskManager/u,
      confidence: 0.95,
    },
    { text: /Terminating TaskManagerRunner with exit code 1\b/u, confidence: 0.93 },
  ],
  judge(confidence, facts) {
    const registered = facts.evidence.events.some((event) =>
      /Successful registration at resource manager|Registering TaskManager with ResourceID|Registered TaskManager/u.test(
        event.message,
      ),
    );
    return registered ? 0.5 : confidence;
  },
  remediesOf: (facts) =>
    facts.has(/Could not create actor system|Futures timed out/u)
      ? options(facts, ["pekko.startup-timeout", "60 s"])
      : [],
});
