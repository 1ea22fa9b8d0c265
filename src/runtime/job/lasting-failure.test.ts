import { describe, expect, test } from "vitest";

import { StreamError } from "../../base/index.ts";
import { isLastingFailure } from "./lasting-failure.ts";

const noFiles = new StreamError("FILES_NOT_FOUND", { path: "in/*.csv" });
const unreadable = (code: string): StreamError =>
  new StreamError(
    "STATE_HANDLE_UNREADABLE",
    { path: "chk-1/x", checkpointId: 1, problem: code },
    Object.assign(new Error(code), { code }),
  );
const userFailure = (cause: unknown): StreamError =>
  new StreamError(
    "USER_FUNCTION_FAILED",
    { operator: "Map", subtask: "(1/1)", method: "map", record: undefined, key: undefined },
    cause,
  );

describe("isLastingFailure", () => {
  test("holds for what would only happen again", () => {
    expect(isLastingFailure(noFiles)).toBe(true);
    expect(isLastingFailure(new Error("the source failed", { cause: noFiles }))).toBe(true);
    expect(isLastingFailure(unreadable("ENOENT"))).toBe(true);
  });

  test("leaves to the restart strategy what may pass", () => {
    expect(isLastingFailure(userFailure(new Error("the service is down")))).toBe(false);
    expect(isLastingFailure(userFailure(Object.assign(new Error(), { code: "ENOENT" })))).toBe(
      false,
    );
    expect(isLastingFailure(unreadable("EIO"))).toBe(false);
    expect(isLastingFailure(new Error("a bug"))).toBe(false);
    expect(isLastingFailure("text")).toBe(false);
  });

  test("ends on a chain of causes that is a cycle", () => {
    const error = new Error("a");
    error.cause = error;
    expect(isLastingFailure(error)).toBe(false);
  });
});
