import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { nodePlatform } from "../../../src/base/index.ts";
import type { Evidence } from "../../../src/doctor/evidence/evidence.ts";
import { readEvidence } from "../../../src/doctor/evidence/input-reader.ts";

/** A small history that shows one cause. */
export interface Case {
  readonly name: string;
  readonly truth: string;
  readonly also: readonly string[];
  readonly keys: readonly string[];
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

export const FOLDER = "test/golden/doctor";

/** Cases in one file: `=== name`, headers, then `--- file` and its text. */
function parseCases(text: string): readonly Case[] {
  const parts = text.split(/^=== (\S+)\n/mu).slice(1);
  const cases: Case[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [head, ...files] = (parts[index + 1] ?? "").split(/^--- (\S+)\n/mu);
    const header = (name: string): readonly string[] =>
      new RegExp(`^${name}: (.*)$`, "mu").exec(head ?? "")?.[1]?.split(" ") ?? [];
    const named = [];
    for (let at = 0; at + 1 < files.length; at += 2)
      named.push({ name: files[at] ?? "", text: files[at + 1] ?? "" });
    cases.push({
      name: parts[index] ?? "",
      truth: header("truth")[0] ?? "",
      also: header("also"),
      keys: header("key"),
      files: named,
    });
  }
  return cases;
}

/** All cases of the repository. */
export const CASES: readonly Case[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".cases"))
  .flatMap((name) => parseCases(readFileSync(join(FOLDER, name), "utf8")));

export function evidenceOf(found: Pick<Case, "files">): Promise<Evidence> {
  const inputs = found.files.map((file) => ({
    kind: "bytes" as const,
    name: file.name,
    bytes: new TextEncoder().encode(file.text),
  }));
  return readEvidence(inputs, nodePlatform());
}
