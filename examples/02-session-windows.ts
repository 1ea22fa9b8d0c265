/**
 * Sessions of messages per device: session windows with a gap of 15 s at parallelism 4, whose timers lie in every snapshot. It takes the number of messages
 * as its argument.
 *
 * The job of a field report in which these timers could not be written to the checkpoint directory.
 */
import { strictEqual } from "node:assert/strict";

import {
  defineJob,
  EventTimeSessionWindows,
  fileSink,
  ndjson,
  type Of,
  readRecords,
  Types,
  WatermarkStrategy,
} from "cutwater";

const Message = Types.struct({ device: Types.string(), at: Types.timestamp(), level: Types.int() });
const Session = Types.struct({
  device: Types.string(),
  start: Types.timestamp(),
  end: Types.timestamp(),
  messages: Types.int(),
  highest: Types.int(),
});
type Session = Of<typeof Session>;

const MESSAGES = 40_000;
const DEVICES = 100;
const START = Date.UTC(2020, 10, 20, 10, 42);
/** Each device talks for 20 messages, 4 s apart, and then is silent for a minute. */
const PER_SESSION = 20;

function message(index: number): Of<typeof Message> {
  const device = index % DEVICES;
  const turn = Math.floor(index / DEVICES);
  const session = Math.floor(turn / PER_SESSION);
  return {
    device: `device-${device}`,
    at: START + turn * 4_000 + session * 60_000,
    level: turn % PER_SESSION,
  };
}

export default defineJob("device-sessions", (env, [messages = MESSAGES]) => {
  env.setParallelism(4);
  env
    .fromGenerator(message, { count: Number(messages), type: Message })
    .setParallelism(1)
    .uid("messages")
    .assignTimestampsAndWatermarks(
      WatermarkStrategy.forMonotonousTimestamps<Of<typeof Message>>()
        .punctuated()
        .withTimestampAssigner((value) => value.at),
    )
    .setParallelism(1)
    .keyBy((value) => value.device)
    .window(EventTimeSessionWindows.withGap("15 s"))
    .process(
      {
        process(device, { window }, messages, out) {
          const levels = Array.from(messages, (value) => value.level);
          out.collect({
            device,
            start: window.start,
            end: window.end,
            messages: levels.length,
            highest: Math.max(...levels),
          });
        },
      },
      { returns: Session },
    )
    .uid("sessions")
    .sinkTo(fileSink("out/device-sessions", ndjson(Session), { existing: "overwrite" }))
    .uid("sessions-out");
});

export async function check([messages = MESSAGES]: readonly (string | number)[]): Promise<string> {
  const sessions = await readRecords<Session>("out/device-sessions", ndjson(Session));
  strictEqual(sessions.length, Number(messages) / PER_SESSION);
  for (const session of sessions) {
    strictEqual(session.messages, PER_SESSION);
    strictEqual(session.end - session.start, (PER_SESSION - 1) * 4_000 + 15_000);
  }
  return `${sessions.length} sessions of ${PER_SESSION} messages each.`;
}
