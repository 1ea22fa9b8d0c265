/** Text that is markup already. Everything else is escaped when it is put into markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | undefined | readonly Part[];

/** Builds markup; what is put in is escaped unless it is {@link Markup} itself. */
export function markup(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = literals[0] ?? "";
  parts.forEach((part, index) => {
    text += markupOf(part) + (literals[index + 1] ?? "");
  });
  return new Markup(text);
}

function markupOf(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(markupOf).join("");
  return escapeText(String(part));
}

/** For text and for attribute values in either kind of quotes. */
function escapeText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
