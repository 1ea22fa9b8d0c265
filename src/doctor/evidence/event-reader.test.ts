import { describe, expect, test } from "vitest";

import { EvidenceBuilder } from "./evidence-builder.ts";
import type { Evidence } from "./evidence.ts";
import { TextReader } from "./text-reader.ts";

function read(text: string): Evidence {
  const builder = new EvidenceBuilder();
  const reader = new TextReader("a.log", builder, false);
  text.split("\n").forEach((line, index) => reader.push(line, index + 1));
  reader.finish();
  return builder.build();
}

const HEADS: readonly (readonly [string, string, string | undefined])[] = [
  [
    "log4j 2",
    "2024-06-15 02:17:23,882 INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator [] - Triggering checkpoint 7.",
    "org.apache.flink.runtime.checkpoint.CheckpointCoordinator",
  ],
  [
    "log4j 1",
    "2019-06-15 02:17:23,882 INFO  org.apache.flink.runtime.taskmanager.Task                     - Triggering checkpoint 7.",
    "org.apache.flink.runtime.taskmanager.Task",
  ],
  [
    "logback",
    "2024-06-15 02:17:23.882 [Checkpoint Timer] INFO  o.a.f.r.checkpoint.CheckpointCoordinator  - Triggering checkpoint 7.",
    "o.a.f.r.checkpoint.CheckpointCoordinator",
  ],
  [
    "Hadoop's short form",
    "20/11/20 10:42:00 INFO checkpoint.CheckpointCoordinator: Triggering checkpoint 7.",
    "checkpoint.CheckpointCoordinator",
  ],
  [
    "time of day alone",
    "18:48:40.685 [main] DEBUG org.apache.flink.runtime.taskmanager.Task - Triggering checkpoint 7.",
    "org.apache.flink.runtime.taskmanager.Task",
  ],
  [
    "container runtime",
    "2024-01-01T00:00:00.000000000Z stdout F 2024-06-15 02:17:23,882 INFO  a.b.C [] - Triggering checkpoint 7.",
    "a.b.C",
  ],
  [
    "compose",
    "jobmanager_1  | 2024-06-15 02:17:23,882 INFO  a.b.C [] - Triggering checkpoint 7.",
    "a.b.C",
  ],
  [
    "kubectl prefix",
    "[pod/x-1/main] 2024-06-15 02:17:23,882 INFO  a.b.C [] - Triggering checkpoint 7.",
    "a.b.C",
  ],
  [
    "tabs",
    "2024-05-03T10:00:00.120Z\tINFO\tcontrollers.Cluster\tTriggering checkpoint 7.",
    "controllers.Cluster",
  ],
  [
    "JSON",
    '{"@timestamp":"2024-06-15T02:17:23.882Z","log.level":"INFO","log.logger":"a.b.C","message":"Triggering checkpoint 7."}',
    "a.b.C",
  ],
  [
    "JSON of Docker",
    '{"log":"2024-06-15 02:17:23,882 INFO  a.b.C [] - Triggering checkpoint 7.\\n","stream":"stdout"}',
    "a.b.C",
  ],
];

describe("a record's head", () => {
  test.each(HEADS)("is read in the form of %s", (_name, line, logger) => {
    const event = read(line).events[0];
    expect(event?.logger).toBe(logger);
    expect(event?.message).toBe("Triggering checkpoint 7.");
    expect(event?.level).toMatch(/INFO|DEBUG/u);
    expect(event?.atMs).toBeTypeOf("number");
  });
});

const TRACE = `2024-06-15 02:17:23,882 WARN  a.b.C [] - failed
java.lang.RuntimeException: outer
	at a.B.c(B.java:1) ~[flink-dist-1.20.0.jar:1.20.0]
	Suppressed: java.io.IOException: beside
		at x.Y.z(Y.java:2)
Caused by: org.apache.flink.util.SerializedThrowable: java.io.IOException: No space left on device
	at java.base/java.io.FileOutputStream.writeBytes(Native Method)
	... 4 more`;

describe("a stack trace", () => {
  test("gives its chain, without the wrapper of remote exceptions", () => {
    const event = read(TRACE).events[0];
    expect(event?.thrown.map((error) => [error.role, error.className, error.message])).toEqual([
      ["top", "java.lang.RuntimeException", "outer"],
      ["suppressed", "java.io.IOException", "beside"],
      ["cause", "java.io.IOException", "No space left on device"],
    ]);
    expect(event?.thrown[0]?.frames[0]).toMatchObject({ method: "a.B.c", jarVersion: "1.20.0" });
    expect(event?.thrown[2]?.place.line).toBe(6);
  });

  test("is the same with CRLF line ends, flattened on one line, or behind a prefix", () => {
    const plain = chain(read(TRACE));
    const flat = TRACE.replaceAll(/\n\s*/gu, " ");
    const prefixed = TRACE.split("\n")
      .map((line) => `tm-1  | ${line}`)
      .join("\n");
    expect(chain(read(TRACE.replaceAll("\n", "\r\n")))).toEqual(plain);
    expect(chain(read(flat)).slice(-1)).toEqual(plain.slice(-1));
    expect(chain(read(prefixed))).toEqual(plain);
  });

  function chain(evidence: Evidence): readonly string[] {
    return evidence.events.flatMap((event) =>
      event.thrown.map((error) => `${error.className}: ${error.message}`),
    );
  }
});

test("many equal records are kept as few with a count", () => {
  const line =
    "2024-06-15 02:17:23,882 INFO  org.apache.flink.X [] - Checkpoint 1 is in state IN_PROGRESS.\n";
  const events = read(line.repeat(5000)).events;
  expect(events.length).toBeLessThan(100);
  expect(events.reduce((sum, event) => sum + event.repeats, 0)).toBe(5000);
});

test("terminal escapes and control characters of forged lines do not come through", () => {
  const event = read(
    "2024-06-15 02:17:23,882 ERROR a.b.C [] - \u001B]0;owned\u0007\u001B[2J\u001B[31mred\u0008 text",
  ).events[0];
  expect(event?.message).toBe("red text");
});

test("a report on a stuck task gives the stack of its thread", () => {
  const stacks = read(
    "2021-12-09 15:06:56,168 WARN  org.apache.flink.runtime.taskmanager.Task [] - Task 'join (1/1)#0' did not react to cancelling signal for 30 seconds, but is stuck in method:\n java.net.SocketInputStream.socketRead0(Native Method)\ncom.acme.Join.processElement(Join.java:4)\n",
  ).stacks;
  expect(stacks[0]).toMatchObject({ thread: "join (1/1)#0", source: "stuck-report" });
  expect(stacks[0]?.frames.map((frame) => frame.method)).toEqual([
    "java.net.SocketInputStream.socketRead0",
    "com.acme.Join.processElement",
  ]);
});

test("a thread dump of either form gives state, frames and locks", () => {
  const stacks = read(
    '"Legacy Source Thread - Source: a (1/1)#0" #70 prio=5 os_prio=0 tid=0x1 nid=0x2 runnable [0x3]\n   java.lang.Thread.State: RUNNABLE\n\tat com.acme.S.run(S.java:1)\n\t- locked <0x00e0> (a java.lang.Object)\n\n"a (1/1)#0" Id=7 BLOCKED on java.lang.Object@59 owned by "x" Id=8\n\tat app//org.apache.flink.A.b(A.java:2)\n',
  ).stacks;
  expect(
    stacks.map((stack) => [stack.state, stack.frames[0]?.method, stack.locked.length]),
  ).toEqual([
    ["RUNNABLE", "com.acme.S.run", 1],
    ["BLOCKED", "org.apache.flink.A.b", 0],
  ]);
});
