import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Programs stand here; what is fetched and compiled goes to a folder that is not in the repository. */
const PROGRAMS = new URL("java/", import.meta.url).pathname;
const CACHE = new URL("../../node_modules/.cache/cutwater-flink/", import.meta.url).pathname;

/** The commands that are missing here, or undefined if programs against Flink's jars can run. */
export function missingJava(): string | undefined {
  const commands = [
    ["java", "-version"],
    ["javac", "-version"],
    ["mvn", "--version"],
  ] as const;
  const missing = commands.filter(([command, flag]) => spawnSync(command, [flag]).status !== 0);
  return missing.length === 0 ? undefined : missing.map(([command]) => command).join(", ");
}

/** A Java program of the folder `java`, compiled against Flink's jars, which Maven fetches once. */
export class FlinkJavaProgram {
  readonly #name: string;
  readonly #classpath: string;

  constructor(name: string) {
    this.#name = name;
    const jars = flinkClasspath();
    const classes = join(CACHE, name);
    mkdirSync(classes, { recursive: true });
    run("javac", ["-d", classes, "-cp", jars, join(PROGRAMS, `${name}.java`)]);
    this.#classpath = [classes, jars].join(delimiter);
  }

  /** Runs it, and gives what it printed as JSON, a value a line. */
  run(...parameters: readonly string[]): readonly unknown[] {
    const printed = run("java", ["-cp", this.#classpath, this.#name, ...parameters]);
    const lines = printed.split("\n").filter((line) => line !== "");
    return lines.map((line): unknown => JSON.parse(line));
  }
}

function flinkClasspath(): string {
  const file = join(CACHE, "classpath.txt");
  const known = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  if (known !== "" && known.split(delimiter).every((jar) => existsSync(jar))) return known;
  mkdirSync(CACHE, { recursive: true });
  const goal = ["dependency:build-classpath", `-Dmdep.outputFile=${file}`];
  run("mvn", ["-q", "-B", "-f", join(PROGRAMS, "pom.xml"), ...goal]);
  return readFileSync(file, "utf8").trim();
}

function run(command: string, parameters: readonly string[]): string {
  const result = spawnSync(command, parameters, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (result.status !== 0)
    throw new Error(`${command} failed: ${result.stderr}${result.stdout}`, { cause: result.error });
  return result.stdout;
}
