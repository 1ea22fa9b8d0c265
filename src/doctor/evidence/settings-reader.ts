import type { Setting } from "./evidence.ts";

const PAIR = /^(\s*)(-\s+)?(["']?)([A-Za-z_$][\w.$/-]*)\3\s*:(?:\s+(.*))?$/u;
const ASSIGNED = /^\s*(?:-\s+)?(?:export\s+)?([A-Za-z][\w.-]*)\s*=\s*(.+)$/u;
const DYNAMIC = /(?:^|\s)-D\s*([a-z][\w.-]+)=("[^"]*"|'[^']*'|\S+)/gu;
const SQL_SET = /\bSET\s+'?([a-z][\w.-]+)'?\s*=\s*'?([^';]+)'?/giu;
const SQL_OPTION = /'([a-z][\w.-]+)'\s*=\s*'([^']*)'/gu;
const LOADED = /Loading (?:dynamic )?configuration property: ([\w.-]+), (.*)$/u;

/** Namespaces of options, to tell a setting from any other `name: value` in running text. */
const NAMESPACE =
  /^(?:akka|blob|cleanup|client|classloader|cluster|containerized|dstl|env|execution|external-resource|fs|heartbeat|high-availability|historyserver|io|job|jobmanager|jobstore|kubernetes|metrics|mesos|parallelism|pekko|pipeline|process|queryable-state|recovery|resourcemanager|rest|restart-strategy|s3|s3a|scan|security|sink|slot|slotmanager|state|table|task|taskmanager|transaction|transactional|user|web|yarn|zookeeper|dfs|snapshot|write|wal|max_slot_wal_keep_size|server-id|fs\.s3a|presto|changelog)(?:[.\-_]|$)/u;

interface Level {
  readonly indent: number;
  readonly name: string;
}

/**
 * Reads settings from the lines of a configuration file.
 *
 * @remarks
 * Tolerant on purpose: the old flat file, YAML nested or flat, a Kubernetes object or a compose file that carries the
 * configuration as a block of text. A nested key counts under its whole path, and a dotted leaf under its own name too.
 */
export class SettingsReader {
  readonly #file: string;
  readonly #levels: Level[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  read(text: string, line: number): readonly Setting[] {
    const found: Setting[] = [];
    if (/^\s*(?:#|$)/u.test(text)) return found;
    const pair = PAIR.exec(text);
    if (pair !== null) {
      this.#readPair(
        (pair[1] ?? "").length + (pair[2] ?? "").length,
        pair[4] ?? "",
        pair[5] ?? "",
        line,
        found,
      );
      return found;
    }
    const assigned = ASSIGNED.exec(text);
    if (assigned !== null) this.#add(assigned[1] ?? "", unquote(assigned[2] ?? ""), line, found);
    return found;
  }

  #readPair(indent: number, key: string, rawValue: string, line: number, found: Setting[]): void {
    while ((this.#levels.at(-1)?.indent ?? -1) >= indent) this.#levels.pop();
    const value = unquote(stripComment(rawValue));
    if (value === "" || value === "|" || value === "|-" || value === ">" || value === ">-") {
      this.#levels.push({ indent, name: key });
      return;
    }
    const path = [...this.#levels.map((level) => level.name), key].join(".");
    const own = configurationPath(path);
    this.#add(own, value, line, found);
    if (own !== key && key.includes(".")) this.#add(key, value, line, found);
  }

  #add(key: string, value: string, line: number, found: Setting[]): void {
    found.push({ key, value, place: { file: this.#file, line }, origin: "file" });
  }
}

/** What stands under `flinkConfiguration` or in a mounted file is the configuration itself. */
function configurationPath(path: string): string {
  return path.replace(
    /^.*\b(?:flinkConfiguration|FLINK_PROPERTIES|flink-conf\.yaml|config\.yaml|data)\./u,
    "",
  );
}

function stripComment(value: string): string {
  return value.startsWith("#") ? "" : value.replace(/\s+#.*$/u, "").trim();
}

function unquote(value: string): string {
  const trimmed = value.trim();
  const quoted = /^(["'])(.*)\1[,;]?$/u.exec(trimmed);
  return quoted === null ? trimmed : (quoted[2] ?? "");
}

/** Settings that a command line, SQL statement or log record mentions. */
export function settingsInText(text: string, file: string, line: number): readonly Setting[] {
  const place = { file, line };
  const found: Setting[] = [];
  const loaded = LOADED.exec(text);
  if (loaded !== null) {
    found.push({ key: loaded[1] ?? "", value: (loaded[2] ?? "").trim(), place, origin: "log" });
    return found;
  }
  if (text.includes("-D")) {
    for (const match of text.matchAll(DYNAMIC)) {
      found.push({ key: match[1] ?? "", value: unquote(match[2] ?? ""), place, origin: "command" });
    }
  }
  if (/\bSET\b/iu.test(text)) {
    for (const match of text.matchAll(SQL_SET)) {
      if (NAMESPACE.test(match[1] ?? "")) {
        found.push({
          key: match[1] ?? "",
          value: (match[2] ?? "").trim(),
          place,
          origin: "command",
        });
      }
    }
  }
  if (text.includes("' = '") || text.includes("'='")) {
    for (const match of text.matchAll(SQL_OPTION)) {
      found.push({ key: match[1] ?? "", value: match[2] ?? "", place, origin: "command" });
    }
  }
  return found;
}

/** True if a line of running text is surely a setting of Flink or a connector. */
export function isSettingLine(text: string): boolean {
  const pair = PAIR.exec(text);
  if (pair === null) return false;
  const key = pair[4] ?? "";
  return key.includes(".") && NAMESPACE.test(key) && (pair[5] ?? "") !== "";
}

/** Whether a file is a configuration, from the share of its lines that are `key: value`. */
export function looksLikeSettings(lines: readonly string[]): boolean {
  let pairs = 0;
  let others = 0;
  for (const line of lines.slice(0, 400)) {
    if (/^\s*(?:#|---|$)/u.test(line)) continue;
    if (PAIR.test(line) || /^\s*-\s/u.test(line)) pairs++;
    else others++;
  }
  return pairs >= 1 && pairs >= others * 2;
}
