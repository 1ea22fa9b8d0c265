import { eastAsianWidth } from "get-east-asian-width";

/** A column of a table. */
export interface TableColumn {
  readonly title: string;
  /** Numbers and sizes stand to the right. */
  readonly align?: "left" | "right";
}

/** Lines of a table with aligned columns; wide characters count as two. */
export function textTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const lines = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((cells) => textWidth(cells[index] ?? ""))),
  );
  return lines.map((cells) =>
    columns
      .map(({ align }, index) => padded(cells[index] ?? "", widths[index] ?? 0, align ?? "left"))
      .join("  ")
      .trimEnd(),
  );
}

function padded(text: string, width: number, align: "left" | "right"): string {
  const blanks = " ".repeat(Math.max(0, width - textWidth(text)));
  return align === "left" ? `${text}${blanks}` : `${blanks}${text}`;
}

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  return width;
}
