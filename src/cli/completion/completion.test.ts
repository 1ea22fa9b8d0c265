import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";

import { runCli } from "../cli-harness.ts";
import type { CliContext } from "../cli-context.ts";
import { printProposals, proposeWords } from "./propose-words.ts";
import { SHELL_SCRIPTS, SHELLS } from "./shell-scripts.ts";

function contextWith(env: Readonly<Record<string, string>> = {}): {
  readonly context: CliContext;
  readonly written: () => string;
} {
  let text = "";
  const stream = { write: (more: string) => void (text += more) };
  return {
    context: { process: { stdout: stream, stderr: stream, env } },
    written: () => text,
  };
}

async function proposed(...words: readonly string[]): Promise<readonly string[]> {
  const { context } = contextWith({ CUTWATER_ADDRESS: "127.0.0.1:9" });
  return (await proposeWords(words, context)).map(({ word }) => word);
}

describe("what may stand in the place of the last word", () => {
  test("commands", async () => {
    expect(await proposed("sa")).toEqual(["savepoint"]);
    expect(await proposed("")).toEqual(expect.arrayContaining(["run", "doctor", "completion"]));
  });

  test("flags of a command", async () => {
    expect(await proposed("run", "--fr")).toEqual(
      expect.arrayContaining(["--fresh", "--from-savepoint"]),
    );
    expect(await proposed("run", "")).toEqual([]);
    expect(await proposed("doctor", "--lang", "z")).toEqual(["zh"]);
    expect(await proposed("completion", "")).toEqual([...SHELLS]);
  });

  test("keys of settings, joined to -D or behind it, and their values", async () => {
    expect(await proposed("run", "-D", "execution.checkpointing.interval-")).toEqual([
      "execution.checkpointing.interval-during-backlog=",
    ]);
    expect(await proposed("serve", "jobs", "-Drest.po")).toEqual(["-Drest.port="]);
    expect(await proposed("run", "-D", "execution.checkpointing.unaligned.enabled=t")).toEqual([
      "execution.checkpointing.unaligned.enabled=true",
    ]);
    expect(await proposed("run", "-Drestart-strategy.type=fixed")).toEqual([
      "-Drestart-strategy.type=fixed-delay",
    ]);
  });

  test("nothing of what is the job's own", async () => {
    expect(await proposed("run", "job.ts", "--", "--fr")).toEqual([]);
  });

  test("jobs that run on the server that the command line names, and none where there is no server", async () => {
    const jobs = [
      { jid: "ab".repeat(16), name: "flights", state: "RUNNING" },
      { jid: "cd".repeat(16), name: "finished", state: "FINISHED" },
    ];
    const server = createServer((_, response) => response.end(JSON.stringify({ jobs })));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const bound = server.address();
    const address = `127.0.0.1:${typeof bound === "object" ? bound?.port : ""}`;
    expect(await proposed("info", "-m", address, "")).toEqual(["flights", "ab".repeat(16)]);
    expect(await proposed("cancel", "--address", address, "ab")).toEqual(["ab".repeat(16)]);
    await new Promise((resolve) => server.close(resolve));
    expect(await proposed("info", "")).toEqual([]);
  });
});

test("each proposal is a line with its meaning", async () => {
  const { context, written } = contextWith();
  await printProposals(["canc"], context);
  expect(written()).toBe("cancel\tCancel a job.\n");
});

describe("the scripts", () => {
  test.each(SHELLS)("%s is printed by the command", async (shell) => {
    const { stdout, exitCode } = await runCli("completion", shell);
    expect([stdout, exitCode]).toEqual([SHELL_SCRIPTS[shell], 0]);
  });

  test("an unknown shell is refused", async () => {
    expect((await runCli("completion", "csh")).exitCode).toBe(3);
  });

  const hasBash = spawnSync("bash", ["--version"]).status === 0;

  test.skipIf(!hasBash)(
    "bash completes commands, and settings behind a colon or an equals sign",
    () => {
      const stub = `
      cutwater() {
        shift
        case "$*" in
          "run -Drest.po") printf -- '-Drest.port=\\tPort.\\n' ;;
          "run -Dkind=al") printf -- '-Dkind=aligned\\t\\n' ;;
          *) printf 'cancel\\tCancel a job.\\ncheckpoint\\tTake one.\\n' ;;
        esac
      }
      compopt() { echo "compopt $*"; }
      complete_line() {
        COMP_LINE=$1 COMP_POINT=\${#1}
        _cutwater
        printf '%s|' "\${COMPREPLY[@]}"
        echo
      }
      complete_line "cutwater c"
      complete_line "cutwater run -Drest.po"
      complete_line "cutwater run -Dkind=al"`;
      const { stdout, stderr } = spawnSync("bash", ["-c", `${SHELL_SCRIPTS.bash}\n${stub}`], {
        encoding: "utf8",
      });
      expect([stderr, stdout]).toEqual([
        "",
        "cancel|checkpoint|\ncompopt -o nospace\n-Drest.port=|\naligned|\n",
      ]);
    },
  );
});
