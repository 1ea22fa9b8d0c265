import { type Rule, signature } from "../rule.ts";
import { moduleDenied } from "../config/jvm-module-access-denied.ts";

const SNAPSHOT_FRAME =
  /snapshot|Snapshot|AsyncCheckpoint|checkpoint|CopyOnWrite|RocksDB|StateTable|OperatorStateBackend|\.copy$|TypeSerializer/u;

/** The state's type cannot be written. */
export const notSerializableState: Rule = signature({
  code: "not-serializable-state",
  clues: [
    {
      text: /NotSerializableException/u,
      roles: ["checkpoint", "task", "report", "job"],
      not: /Could not instantiate|ClosureCleaner|Dispatcher|is not serializable\. The object probably contains/u,
      confidence: 0.95,
    },
    {
      // As this project's own jobs say it.
      text: /^StreamError: .*\bvalue(?: of .*)? cannot be serialized: /su,
      roles: ["checkpoint", "task"],
      confidence: 0.92,
    },
    {
      text: /InaccessibleObjectException|Unable to make .* accessible: module/u,
      and: /Kryo|Could not materialize|Could not complete snapshot/u,
      confidence: 0.96,
    },
    {
      text: /KryoException|IllegalArgumentException: Unable to create serializer/u,
      and: /Could not (?:materialize checkpoint|complete snapshot|perform checkpoint)/u,
      not: /ConcurrentModification|IndexOutOfBounds|unregistered class/u,
      confidence: 0.88,
    },
    {
      text: /KryoException|(?:UnsupportedOperation|IllegalArgument|IllegalAccess|NullPointer)Exception/u,
      frame: /com\.esotericsoftware\.kryo\..*(?:write|copy)/u,
      and: /Could not (?:materialize checkpoint|complete snapshot)|checkpoint/u,
      not: /ConcurrentModification|IndexOutOfBounds|unregistered class/u,
      confidence: 0.84,
    },
  ],
  judge(confidence, facts, match) {
    if (moduleDenied(facts.textOf(match.statement.event))) return 0.4;
    const frames = match.statement.event.thrown.flatMap((error) => error.frames);
    const inSnapshot =
      match.statement.role === "checkpoint" ||
      frames.some((frame) => SNAPSHOT_FRAME.test(frame.method));
    return inSnapshot ? confidence : confidence * 0.75;
  },
  subjects: (match) => ({
    type: /NotSerializableException: ([\w.$]+)|field \S+ \S+ ([\w.$]+)\.\w+ accessible/u
      .exec(match.statement.text)
      ?.slice(1)
      .find((name) => name !== undefined),
  }),
});
