import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { cutwater, CutwaterProcess } from "./cutwater-process.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cutwater-cli-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const job = (name: string, body: string, before = ""): string => `
import { defineJob, generatorSource } from "cutwater";
${before}
export default defineJob("${name}", (env, args) => {
${body}
});
`;

/** Prints 0, 1, 2 … for ever, each once whatever happens, but for what a kill repeats. */
const counting = job(
  "counting",
  `  env.fromSource(generatorSource((n: number) => n, { recordsPerSecond: 200 }))
    .uid("numbers")
    .keyBy(() => 0)
    .reduce((a, b) => Math.max(a, b))
    .uid("greatest")
    .print();`,
);

const numbersOf = (stdout: string): readonly number[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map(Number);

async function jobDirectory(name: string): Promise<string> {
  const [id = ""] = await readdir(join(folder, ".cutwater", name));
  return join(folder, ".cutwater", name, id);
}

async function stateOf(name: string): Promise<Record<string, unknown>> {
  const text = await readFile(join(await jobDirectory(name), "job-state.json"), "utf8");
  return JSON.parse(text) as Record<string, unknown>;
}

describe("a job file", () => {
  test("runs to its end with code 0, its output alone on the standard output, and plain lines beside it", async () => {
    await writeFile(
      join(folder, "one.ts"),
      job("one", "  env.fromData(1, 2, 3).map((n) => n * 10).print();"),
    );
    const result = await cutwater(folder, "run", "one.ts");
    expect(result).toMatchObject({ exitCode: 0, stdout: "10\n20\n30\n" });
    expect(result.stderr).toContain("one: starts from nothing; checkpoints: .cutwater/one/");
    expect(result.stderr).toMatch(/one: finished in \d+\.\d s, 3 records read, 1 checkpoint\./);
    expect(result.stderr).not.toContain("\u001B");
    expect(await stateOf("one")).toMatchObject({ status: "FINISHED", jobName: "one" });
    expect(
      (await readdir(await jobDirectory("one"))).filter((name) => /^chk-|^lock/.test(name)),
    ).toEqual([]);
  });

  test("gets what stands behind -- as its arguments", async () => {
    await writeFile(join(folder, "echo.ts"), job("echo", "  env.fromData(...args).print();"));
    const result = await cutwater(folder, "run", "echo.ts", "--", "-a", "--b=c", "--", "d");
    expect(result.stdout).toBe("-a\n--b=c\n--\nd\n");
  });

  test("may use enums, parameter properties, .js and extensionless imports of .ts files, and its own URL", async () => {
    await mkdir(join(folder, "lib"));
    await writeFile(join(folder, "lib", "index.ts"), "export const fromIndex: string = 'index';\n");
    await writeFile(
      join(folder, "lib", "named.ts"),
      "export const named = <T,>(value: T): T => value;\n",
    );
    await writeFile(
      join(folder, "all.ts"),
      job(
        "all",
        `  env.fromData(Color.Green, new Pair(4).left, named("named"), other("other"), fromIndex, import.meta.url).print();`,
        `import { named } from "./lib/named.js";
import { named as other } from "./lib/named";
import { fromIndex } from "./lib";
import type { Nothing } from "./nowhere.ts";
enum Color { Red, Green }
class Pair { constructor(readonly left: number) {} }`,
      ),
    );
    const result = await cutwater(folder, "run", "all.ts");
    expect(result.stdout).toBe(`1\n4\nnamed\nother\nindex\nfile://${folder}/all.ts\n`);
  });

  test("may be JavaScript in a folder without a package.json", async () => {
    await writeFile(join(folder, "plain.js"), job("plain", "  env.fromData(1).print();"));
    expect(await cutwater(folder, "run", "plain.js")).toMatchObject({ exitCode: 0, stdout: "1\n" });
  });

  test("may check its own result: its answer is shown, and what it throws fails the run (RESULT_CHECK_FAILED)", async () => {
    const checked = `${job("checked", "  env.fromData(1).print();")}
export function check([word]: readonly string[]): string {
  if (word === "wrong") throw new Error("the word is wrong");
  return "the answer is " + word;
}
`;
    await writeFile(join(folder, "checked.ts"), checked);
    const right = await cutwater(folder, "run", "checked.ts", "--", "right");
    expect(right).toMatchObject({ exitCode: 0, stdout: "1\nthe answer is right\n" });
    const wrong = await cutwater(folder, "run", "checked.ts", "--", "wrong");
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain("the check that checked.ts exports does not hold");
    expect(wrong.stderr).toContain("caused by the word is wrong");
  });

  test("that fails ends with code 1, and its error names the user's line", async () => {
    await writeFile(
      join(folder, "failing.ts"),
      `import { defineJob } from "cutwater";
interface Row { readonly n: number }

function check(row: Row): number {
  if (row.n === 2) throw new RangeError("two is too much");
  return row.n;
}
export default defineJob("failing", (env) => void env.fromData({ n: 1 }, { n: 2 }).map(check).print());
`,
    );
    const result = await cutwater(folder, "run", "failing.ts", "-Drestart-strategy.type=none");
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain("caused by RangeError: two is too much");
    expect(result.stderr).toMatch(/at .*check.* \(file:.*\/failing\.ts:5:26\)/);
    expect(result.stderr).toContain("What to do: ");
    expect(result.stderr).not.toContain("/dist/");
    expect(await stateOf("failing")).toMatchObject({ status: "FAILED" });
  });
});

describe("user code that ends the process", () => {
  const broken = (name: string, statement: string): string =>
    job(name, `  env.fromData(1).map((n) => { ${statement}; return n; }).print();`);

  test.each([
    ["exits", "process.exit(0)", 1, "its thread ended with code 0"],
    ["exits-with", "process.exit(7)", 7, "its thread ended with code 7"],
    [
      "rejects",
      'void Promise.reject(new Error("nobody looks"));',
      1,
      "A promise that nobody looked at was rejected",
    ],
  ])("%s: says so, and never ends as if it had finished", async (name, statement, code, text) => {
    await writeFile(join(folder, "job.ts"), broken(name, statement));
    const once = ["-D", "restart-strategy.type=none"];
    const { exitCode, stderr } = await cutwater(folder, "run", "job.ts", ...once);
    expect(stderr).toContain(text);
    expect(stderr).toContain("What to do:");
    expect(exitCode).toBe(code);
  });
});

describe("what is refused before anything starts, with code 3", () => {
  const refusals: readonly [string, readonly string[], string | RegExp][] = [
    ["an unknown command", ["rum"], "did you mean `run`"],
    ["an unknown flag", ["run", "one.ts", "--paralellism", "2"], /did you mean .*--parallelism/],
    [
      "a file that is not there (JOB_FILE_NOT_FOUND)",
      ["run", "nowhere.ts"],
      "nowhere.ts cannot be read: there is no such file",
    ],
    ["a file without a job (JOB_FILE_WITHOUT_JOB)", ["run", "none.ts"], "it has no default export"],
    [
      "a job under another name than default",
      ["run", "named.ts"],
      "exported as `main`, not as the default",
    ],
    [
      "a syntax error (JOB_FILE_NOT_LOADED)",
      ["run", "broken.ts"],
      /broken\.ts:2:\d+: Unexpected token/,
    ],
    [
      "an unknown key",
      ["run", "one.ts", "-D", "execution.checkpoint.interval=1s"],
      'Write "execution.checkpointing.interval"',
    ],
    [
      "a value that is none",
      ["run", "one.ts", "-D", "execution.checkpointing.interval=soon"],
      "Give a whole number with a unit",
    ],
    ["a setting without =", ["run", "one.ts", "-D", "x"], "a setting is written key=value"],
    [
      "a configuration file's slip",
      ["run", "one.ts", "--config", "config.yaml"],
      "config.yaml:2:18",
    ],
    [
      "a checkpoint that is none",
      ["run", "one.ts", "-s", "nowhere"],
      "nowhere does not point to a completed checkpoint",
    ],
  ];

  test.each(refusals)("%s", async (_, inputs, message) => {
    await writeFile(join(folder, "one.ts"), job("one", "  env.fromData(1).print();"));
    await writeFile(join(folder, "none.ts"), "export const x = 1;\n");
    await writeFile(
      join(folder, "named.ts"),
      'import { defineJob } from "cutwater";\nexport const main = defineJob("m", () => {});\n',
    );
    await writeFile(
      join(folder, "broken.ts"),
      "export const x: number = 1;\nexport default 1 +* 2;\n",
    );
    await writeFile(
      join(folder, "config.yaml"),
      "parallelism:\n  defaultt: 4\n".replace("  defaultt:", "  defaultt:     "),
    );
    const result = await cutwater(folder, ...inputs);
    expect(result.stderr).toMatch(message);
    expect(result).toMatchObject({ exitCode: 3, stdout: "" });
  });
});

describe("a job that is stopped", () => {
  test("by SIGTERM takes a last checkpoint and goes on there when it is run again", async () => {
    await writeFile(join(folder, "counting.ts"), counting);
    const first = new CutwaterProcess(folder, ["run", "counting.ts"]);
    await first.until((stdout) => stdout.includes("\n20\n"));
    first.kill("SIGTERM");
    const before = await first.result();
    expect(before.exitCode).toBe(2);
    expect(before.stderr).toContain("Its checkpoints lie in .cutwater/counting/");
    expect(await stateOf("counting")).toMatchObject({ status: "SUSPENDED" });

    const second = new CutwaterProcess(folder, ["run", "counting.ts"]);
    await second.until((stdout) => numbersOf(stdout).length > 20);
    second.kill("SIGINT");
    const after = await second.result();
    expect(after.exitCode).toBe(2);
    // What is printed between the last checkpoint and the end is printed again.
    const last = numbersOf(before.stdout).at(-1) ?? 0;
    const firstAgain = numbersOf(after.stdout)[0] ?? 0;
    expect(firstAgain).toBeGreaterThan(20);
    expect(firstAgain).toBeLessThanOrEqual(last + 1);
    const numbers = numbersOf(after.stdout);
    expect(numbers).toEqual(numbers.map((_, index) => firstAgain + index));
  });

  test("by SIGKILL goes on from its newest checkpoint, its lock taken over; --fresh starts from nothing", async () => {
    await writeFile(join(folder, "counting.ts"), counting);
    const inputs = ["run", "counting.ts", "-D", "execution.checkpointing.interval=200ms"];
    const first = new CutwaterProcess(folder, inputs);
    await first.until((stdout) => stdout.includes("\n150\n"));
    first.kill("SIGKILL");
    const killed = await first.result();
    expect(killed.signal).toBe("SIGKILL");
    expect(await stateOf("counting")).toMatchObject({ status: "RUNNING" });

    const second = new CutwaterProcess(folder, inputs);
    await second.until((stdout) => numbersOf(stdout).length > 5);
    second.kill("SIGKILL");
    const [firstNumber = -1] = numbersOf((await second.result()).stdout);
    expect(firstNumber).toBeGreaterThan(0);
    expect(firstNumber).toBeLessThanOrEqual((numbersOf(killed.stdout).at(-1) ?? 0) + 1);
    expect(second.stderr).toMatch(/counting: goes on from \.cutwater\/counting\/\w+\/chk-\d+;/);

    const third = new CutwaterProcess(folder, [...inputs, "--fresh"]);
    await third.until((stdout) => numbersOf(stdout).length > 5);
    third.kill("SIGTERM");
    const fresh = await third.result();
    expect(numbersOf(fresh.stdout)[0]).toBe(0);
    expect(fresh.stderr).toMatch(/of an earlier run (chk-\d+(, )?)+ stay as they are/);
  });

  test("does not wait longer than its deadline for a checkpoint that never completes, and a second signal ends it at once", async () => {
    const stuck = job(
      "stuck",
      `  env.fromSource(generatorSource((n: number) => n, { recordsPerSecond: 200 })).sinkTo({
    name: "stuck",
    writerStateSerializer: undefined,
    committableSerializer: undefined,
    createWriter: () => ({
      write: (n: number) => void process.stdout.write(n + "\\n"),
      prepareCommit: () => ({ committables: [], durable: new Promise<void>(() => {}) }),
      close() {},
    }),
  });`,
    );
    await writeFile(join(folder, "stuck.ts"), stuck);
    const patient = new CutwaterProcess(folder, ["run", "stuck.ts"]);
    await patient.until((stdout) => stdout.includes("5\n"));
    patient.kill("SIGTERM");
    await patient.until((_, stderr) => stderr.includes("taking a last checkpoint"));
    patient.kill("SIGTERM");
    expect(await patient.result()).toMatchObject({ exitCode: 143 });

    const hasty = new CutwaterProcess(folder, [
      "run",
      "stuck.ts",
      "-D",
      "cutwater.shutdown-timeout=300ms",
    ]);
    await hasty.until((stdout) => stdout.includes("5\n"));
    hasty.kill("SIGTERM");
    expect(await hasty.result()).toMatchObject({ exitCode: 2 });
  });
});

test("a second process on a job's directory is refused with the first one named, and the first runs on", async () => {
  await writeFile(join(folder, "counting.ts"), counting);
  const first = new CutwaterProcess(folder, ["run", "counting.ts"]);
  await first.until((stdout) => stdout.includes("\n3\n"));
  const second = await cutwater(folder, "run", "counting.ts");
  expect(second).toMatchObject({ exitCode: 3, stdout: "" });
  expect(second.stderr).toContain(`is in use by process ${first.pid} on `);
  const before = numbersOf(first.stdout).length;
  await first.until((stdout) => numbersOf(stdout).length > before + 10);
  first.kill("SIGTERM");
  expect((await first.result()).exitCode).toBe(2);
});

test("of ten processes that start at once after a SIGKILL exactly one takes the job over", async () => {
  await writeFile(join(folder, "counting.ts"), counting);
  const first = new CutwaterProcess(folder, ["run", "counting.ts"]);
  await first.until((stdout) => stdout.includes("\n3\n"));
  first.kill("SIGKILL");
  await first.result();
  const others = Array.from(
    { length: 10 },
    () => new CutwaterProcess(folder, ["run", "counting.ts"]),
  );
  const isRefused = (other: CutwaterProcess) =>
    other.until(
      (_, stderr) => stderr.includes("is in use by process") || stderr.includes("; checkpoints: "),
    );
  await Promise.all(others.map(isRefused));
  const winners = others.filter(({ stderr }) => stderr.includes("; checkpoints: "));
  for (const winner of winners) winner.kill("SIGTERM");
  const results = await Promise.all(others.map((other) => other.result()));
  expect(winners.length).toBe(1);
  expect(results.map(({ exitCode }) => String(exitCode)).toSorted()).toEqual([
    "2",
    ...Array<string>(9).fill("3"),
  ]);
});

describe("simulate", () => {
  const summing = (before: string, map: string): string => `
import { defineJob, fileSink, ndjson, Types } from "cutwater";
${before}
export default defineJob("summing", (env) => {
  env
    .fromSequence(1, 300)
    .uid("numbers")
    .map((n) => ${map})
    .keyBy((n) => n % 3)
    .reduce((a, b) => a + b)
    .uid("sums")
    .map((sum) => ({ sum }))
    .sinkTo(fileSink("out/sums", ndjson(Types.struct({ sum: Types.double() }))))
    .uid("out");
});
`;

  test("finds nothing in a job that keeps all it knows in state, and gives a seed's run again", async () => {
    await writeFile(join(folder, "right.ts"), summing("", "n * 2"));
    const result = await cutwater(folder, "simulate", "right.ts", "--seeds", "6");
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toMatch(
      /^6 seeds: 0 lost, 0 duplicated of 300 records; .* 0 seeds failed\n$/,
    );
    const once = await cutwater(folder, "simulate", "right.ts", "--seed", "3", "--verbose");
    const again = await cutwater(folder, "simulate", "right.ts", "--seed", "3", "--verbose");
    expect(once.stdout).toMatch(/^seed 3: 0 lost, 0 duplicated; \d+ steps, trace \w+\/\d+/);
    expect(again.stdout).toBe(once.stdout);
    expect(await readdir(folder)).not.toContain("out");
  });

  test("finds what a job keeps outside of state, and says how to run that seed again", async () => {
    await writeFile(join(folder, "wrong.ts"), summing("let seen = 0;", "n + (seen += 1)"));
    const result = await cutwater(folder, "simulate", "wrong.ts", "--seeds", "6");
    expect(result.exitCode).toBe(1);
    expect(result.stdout).toMatch(/seed \d+: [1-9]\d* lost, [1-9]\d* duplicated/);
    expect(result.stdout).toMatch(/again: cutwater simulate wrong\.ts --seed \d+ --verbose/);
  });
});
