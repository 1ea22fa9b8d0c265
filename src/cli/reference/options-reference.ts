import type { OptionGroup } from "../../api/index.ts";
import {
  DURATION_FORMS,
  formatDurationMs,
  MEMORY_SIZE_FORMS,
  type OptionDefinition,
} from "../../base/index.ts";

/** `docs/reference/options.md`: every option that a run reads, made from the tables. */
export function optionsReference(groups: readonly OptionGroup[]): string {
  const lines = [
    "# Options",
    "",
    "Every setting that a job reads, under Flink's keys; what Flink has no key for lies under `cutwater.`. This page is made from the tables in the",
    "code: a test holds it to them (`npx vitest run src/cli/reference -u` writes it anew).",
    "",
    "A setting comes from a flag (`-D key=value`), a file (`--config config.yaml`), or the job's code (`env.configure`); the earlier in this list",
    "wins. An unknown key is refused with the nearest known one. A key of Flink's that says nothing to a Cutwater job, such as",
    "`taskmanager.numberOfTaskSlots`, is taken with a warning, so that a cluster's file can be used as it is.",
    "",
    `A *duration* is ${DURATION_FORMS}. A *size* is ${MEMORY_SIZE_FORMS}.`,
    "",
    "`cutwater run` and `run()` start from other defaults than the tables in three places: `execution.checkpointing.interval` is `10 s` (set it to",
    "`0 ms` for no checkpoints), `execution.checkpointing.dir` is `.cutwater/<job name>`, and",
    "`execution.checkpointing.externalized-checkpoint-retention` is `RETAIN_ON_CANCELLATION`.",
  ];
  for (const { title, table } of groups) {
    lines.push("", `## ${title}`, "", "| key | default | value | meaning |", "|---|---|---|---|");
    for (const [field, definition] of Object.entries(table)) {
      lines.push(row(field, definition));
    }
  }
  return `${lines.join("\n")}\n`;
}

function row(field: string, definition: OptionDefinition<unknown>): string {
  const { key, deprecatedKeys, type, description } = definition;
  const old = deprecatedKeys.map((name) => `\`${name}\``).join(", ");
  const alsoRead = old === "" ? "" : ` Still read, with a warning: ${old}.`;
  const cells = [
    `\`${key}\``,
    initialText(field, definition),
    valueText(type.expected),
    `${description}${alsoRead}`,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function valueText(expected: string): string {
  return expected.replace(DURATION_FORMS, "duration").replace(MEMORY_SIZE_FORMS, "size");
}

function initialText(field: string, { initial }: OptionDefinition<unknown>): string {
  if (initial === undefined) return "none";
  if (typeof initial === "number" && field.endsWith("Ms"))
    return `\`${formatDurationMs(initial)}\``;
  if (typeof initial === "number" && field.endsWith("Bytes")) return `\`${initial / 1024} kb\``;
  return typeof initial === "string" ? `\`${initial}\`` : `\`${JSON.stringify(initial)}\``;
}
