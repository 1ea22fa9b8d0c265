import { cleanText } from "./clean-text.ts";
import { EventReader } from "./event-reader.ts";
import type { EvidenceBuilder } from "./evidence-builder.ts";
import { parseJsonLine } from "./json-line.ts";
import { parseGcPause, parseListing } from "./line-facts.ts";
import { splitFlattened } from "./line-repair.ts";
import { parseLogHeader } from "./log-header.ts";
import { isSettingLine, settingsInText, SettingsReader } from "./settings-reader.ts";

/** What a container runtime puts before a record that is a JSON object. */
const BEFORE_OBJECT =
  /^(?:\s*\[[^\]]{1,100}\]\s+|[\w.-]{1,80}\s+\|\s+|\d{4}-\d\d-\d\dT\S{1,20}Z (?:(?:stdout|stderr) [FP] )?|\s+)(?=\{")/u;

/** Reads the lines of one text file into evidence. */
export class TextReader {
  readonly #file: string;
  readonly #builder: EvidenceBuilder;
  readonly #events: EventReader;
  readonly #settings: SettingsReader;
  /** True if every `key: value` line counts as a setting, not only those of known namespaces. */
  readonly #isSettings: boolean;

  constructor(file: string, builder: EvidenceBuilder, isSettings: boolean) {
    this.#file = file;
    this.#builder = builder;
    this.#isSettings = isSettings;
    this.#settings = new SettingsReader(file);
    this.#events = new EventReader(file, builder);
  }

  push(raw: string, line: number): void {
    const text = cleanText(raw);
    if (this.#isSettings) {
      for (const setting of this.#settings.read(text, line)) this.#builder.setting(setting);
      if (!/Exception|Caused by|Error:/u.test(text)) return;
    }
    const object = text.replace(BEFORE_OBJECT, "");
    const json = object.startsWith("{") ? parseJsonLine(object) : undefined;
    if (json?.kind === "record") {
      this.#events.pushRecord(json.header, json.trace, line);
      this.#readMentions(json.header.message, line);
      return;
    }
    const content = json === undefined ? text : cleanText(json.text);
    for (const piece of splitFlattened(content)) this.#pushPiece(piece, line);
  }

  finish(): void {
    this.#events.finish();
  }

  #pushPiece(text: string, line: number): void {
    this.#events.push(text, line);
    this.#readMentions(text, line);
    if (parseLogHeader(text) !== undefined) return;
    const listed = parseListing(text, this.#file, line);
    if (listed !== undefined) this.#builder.listed(listed);
    const pause = /\bGC\b|stopped: /u.test(text) ? parseGcPause(text, this.#file, line) : undefined;
    if (pause !== undefined) this.#builder.gcPause(pause);
    if (isSettingLine(text)) {
      for (const setting of new SettingsReader(this.#file).read(text, line))
        this.#builder.setting(setting);
    }
  }

  #readMentions(text: string, line: number): void {
    if (!/configuration property|-D|\bSET\b|' ?= ?'/iu.test(text)) return;
    for (const setting of settingsInText(text, this.#file, line)) this.#builder.setting(setting);
  }
}
