// Runs scenario files against the built engine: npm run conformance -- <dir or file>...
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const paths = process.argv.slice(2);
if (paths.length === 0) {
  console.error("Usage: npm run conformance -- <directory or file>...");
  process.exit(2);
}

const { conformanceLines, runConformance } = await import("../dist/testing/conformance/index.js");

/** All JSON files at or below the path, in a stable order. */
function scenarioFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .toSorted()
    .filter((name) => name !== "node_modules" && !name.startsWith("."))
    .map((name) => join(path, name))
    .flatMap((child) =>
      statSync(child).isDirectory() || child.endsWith(".json") ? scenarioFiles(child) : [],
    );
}

let files;
try {
  files = paths.flatMap(scenarioFiles).map((path) => ({ path, text: readFileSync(path, "utf8") }));
} catch (error) {
  console.error(`Cannot read the scenarios: ${error.message}`);
  process.exit(2);
}
if (files.length === 0) {
  console.error(`No scenario file (*.json) below ${paths.join(", ")}`);
  process.exit(2);
}

const report = await runConformance(files);
for (const line of conformanceLines(report)) console.log(line);
process.exitCode = report.failed === 0 && report.results.length > 0 ? 0 : 1;
