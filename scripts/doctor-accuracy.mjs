// Scores the doctor on directories of cases: `<case>/truth.json` beside `<case>/input/` or `<case>/input.*`.
// Usage: npm run doctor:accuracy -- [--dist <directory>] [--quiet] <directory>...
// Exits with 1 if a total falls below what the doctor must reach.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const MUST = { right: 0.9, confidentlyWrong: 0, healthy: 1, remedies: 0.95 };
const SURE = 0.8;
const KEY = /[a-z][\w-]*(?:\.[a-z0-9][\w-]*)+|\bwrite-only\b/g;
const NO_KEY = /\.(?:java|jar|py|yaml|conf)$|^https?|example|^nas\.|^java\.|^org\.|^com\./;

const here = dirname(fileURLToPath(import.meta.url));
const { directories, dist, quiet } = parseArguments(process.argv.slice(2));
const doctor = await import(pathToFileURL(join(dist, "doctor/index.js")).href);
const { nodePlatform } = await import(pathToFileURL(join(dist, "base/index.js")).href);

const cases = directories.flatMap((directory) => findCases(directory));
if (cases.length === 0) {
  console.error(`No cases (truth.json beside input) in ${directories.join(", ") || "nothing"}.`);
  process.exit(3);
}
const results = [];
for (const path of cases) results.push(await score(path));
print(results);

function parseArguments(given) {
  const directories = [];
  let dist = resolve(here, "../dist");
  let quiet = false;
  for (let index = 0; index < given.length; index++) {
    if (given[index] === "--dist") dist = resolve(given[++index]);
    else if (given[index] === "--quiet") quiet = true;
    else directories.push(given[index]);
  }
  return { directories, dist, quiet };
}

function findCases(directory) {
  if (!existsSync(directory)) return [];
  if (existsSync(join(directory, "truth.json"))) return [directory];
  return readdirSync(directory)
    .sort()
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isDirectory() && existsSync(join(path, "truth.json")));
}

function inputsOf(path) {
  return readdirSync(path)
    .filter((name) => name === "input" || name.startsWith("input."))
    .sort()
    .map((name) => ({ kind: "path", path: join(path, name) }));
}

async function score(path) {
  const truth = JSON.parse(readFileSync(join(path, "truth.json"), "utf8"));
  const inputs = inputsOf(path);
  const started = performance.now();
  const diagnosis = await doctor.diagnose(inputs, nodePlatform());
  const tookMs = performance.now() - started;
  const right = [truth.rootCause, ...(truth.alsoAcceptable ?? [])];
  const verdict = truth.verdict ?? "cause";
  const first = diagnosis.findings[0];
  const rank = diagnosis.findings.findIndex((finding) => right.includes(finding.code)) + 1;
  const correct =
    diagnosis.verdict === verdict &&
    (verdict !== "cause" || (first !== undefined && right.includes(first.code)));
  const sure =
    first !== undefined && first.confidence >= SURE && diagnosis.verdict !== "undetermined";
  const baseline = lastCausedBy(inputs);
  return {
    name: path.split("/").at(-1),
    truth: verdict === "cause" ? truth.rootCause : verdict,
    answer: diagnosis.verdict === "cause" ? first?.code : diagnosis.verdict,
    runnerUp: diagnosis.findings[1],
    rank,
    confidence: first?.confidence ?? 0,
    correct,
    confidentlyWrong: sure && !correct,
    healthy: verdict === "healthy" ? diagnosis.verdict === "healthy" : undefined,
    remedies:
      verdict === "cause" && correct
        ? remediesRight(truth, first, diagnosis.facts.version)
        : undefined,
    baseline: verdict === "cause" && baseline !== undefined && baselineNames(baseline, truth),
    tookMs,
  };
}

/** What a person does at first: reads the last line that says `Caused by`. */
function lastCausedBy(inputs) {
  let last;
  const visit = (path) => {
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) visit(join(path, name));
      return;
    }
    if (path.endsWith(".gz")) return;
    const found = readFileSync(path, "utf8").match(/Caused by: .*/g);
    if (found) last = found.at(-1);
  };
  for (const input of inputs) visit(input.path);
  return last;
}

/** Generous to the baseline: the line shares a telling word with the name of the cause. */
function baselineNames(line, truth) {
  const words = truth.rootCause.split("-").filter((word) => word.length > 3);
  const text = line.toLowerCase().replaceAll(/[^a-z]/g, "");
  return (
    words.filter((word) => text.includes(word)).length >= Math.max(1, Math.ceil(words.length / 2))
  );
}

/** At least one option key of the truth is proposed, under any of its names; none is in a spelling not read. */
function remediesRight(truth, first, version) {
  const wanted = new Set();
  for (const remedy of truth.remedyKeys ?? []) {
    for (const key of remedy.match(KEY) ?? []) if (!NO_KEY.test(key)) wanted.add(key);
  }
  const known = [...wanted].filter((key) => isOption(key) && doctor.isReadBy(key, version));
  const proposed = first.remedies.map((remedy) => remedy.key);
  if (proposed.some((key) => !doctor.isReadBy(key, version))) return false;
  if (known.length === 0) return true;
  return known.some((key) => proposed.some((own) => own === key || doctor.sameOption(own, key)));
}

function isOption(key) {
  return /^(?:execution|state|taskmanager|jobmanager|s3|fs|akka|pekko|restart-strategy|high-availability|security|heartbeat|client|slot|io|env|parallelism|pipeline|containerized|dfs|transaction|transactional|sink|scan|snapshot|write|task|classloader|dstl|table|web|rest|delivery|request)[.-]/.test(
    key,
  );
}

function percent(part, whole) {
  return whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;
}

function print(rows) {
  const pad = (text, width) =>
    String(text ?? "-")
      .slice(0, width)
      .padEnd(width);
  console.log(`${pad("case", 52)} ${pad("truth", 40)} ${pad("answer", 40)} rank conf remedy`);
  for (const row of rows) {
    if (quiet && row.correct && row.remedies !== false && !row.confidentlyWrong) continue;
    const mark = row.correct ? " " : "x";
    console.log(
      `${mark}${pad(row.name, 51)} ${pad(row.truth, 40)} ${pad(row.answer, 40)} ${pad(row.rank || "-", 4)} ${row.confidence.toFixed(2)} ${row.remedies === undefined ? "" : row.remedies ? "yes" : "NO"}`,
    );
  }
  const count = (test) => rows.filter(test).length;
  const withHealth = count((row) => row.healthy !== undefined);
  const withRemedies = count((row) => row.remedies !== undefined);
  const totals = {
    right: count((row) => row.correct) / rows.length,
    confidentlyWrong: count((row) => row.confidentlyWrong),
    healthy: withHealth === 0 ? 1 : count((row) => row.healthy === true) / withHealth,
    remedies: withRemedies === 0 ? 1 : count((row) => row.remedies === true) / withRemedies,
  };
  console.log(
    `\nright first            ${count((row) => row.correct)} of ${rows.length} (${percent(
      count((row) => row.correct),
      rows.length,
    )}), must ${MUST.right * 100} %`,
  );
  console.log(`confident and wrong    ${totals.confidentlyWrong}, must ${MUST.confidentlyWrong}`);
  console.log(
    `healthy called healthy ${count((row) => row.healthy === true)} of ${withHealth}, must 100 %`,
  );
  console.log(
    `remedy key right       ${count((row) => row.remedies === true)} of ${withRemedies} (${percent(
      count((row) => row.remedies === true),
      withRemedies,
    )}), must ${MUST.remedies * 100} %`,
  );
  const causes = count((row) => row.truth !== "healthy" && row.truth !== "undetermined");
  console.log(
    `baseline, last "Caused by": ${count((row) => row.baseline === true)} of ${causes} (${percent(
      count((row) => row.baseline === true),
      causes,
    )})`,
  );
  console.log(
    `time                   ${(rows.reduce((sum, row) => sum + row.tookMs, 0) / rows.length).toFixed(0)} ms a case`,
  );
  const failed =
    totals.right < MUST.right ||
    totals.confidentlyWrong > MUST.confidentlyWrong ||
    totals.healthy < MUST.healthy ||
    totals.remedies < MUST.remedies;
  process.exit(failed ? 1 : 0);
}
