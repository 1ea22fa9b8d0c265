/** One column of a stacked chart: a moment and the values of all series. */
export interface StackedColumn {
  readonly atMs: number;
  readonly values: readonly number[];
}

/** One series as a band between two lines; `x` and `y` run from 0 to 1, with `y` upwards. */
export interface StackedArea {
  readonly lower: readonly number[];
  readonly upper: readonly number[];
}

export interface StackedAreas {
  readonly xs: readonly number[];
  readonly areas: readonly StackedArea[];
  /** The value at the upper end of the axis. */
  readonly top: number;
  /** Round values for the axis, from 0 up. */
  readonly ticks: readonly number[];
}

/** Stacks series upon each other, so that the upper line is their sum. Columns come in the order of time. */
export function stackAreas(columns: readonly StackedColumn[]): StackedAreas {
  const sums = columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const { top, step } = roundTop(Math.max(1, ...sums));
  const fromMs = columns[0]?.atMs ?? 0;
  const lengthMs = Math.max(1, (columns.at(-1)?.atMs ?? 0) - fromMs);
  const areas: StackedArea[] = [];
  let lower: readonly number[] = columns.map(() => 0);
  for (let series = 0; series < (columns[0]?.values.length ?? 0); series++) {
    const below = lower;
    const upper = columns.map(
      ({ values }, index) => (below[index] ?? 0) + (values[series] ?? 0) / top,
    );
    areas.push({ lower, upper });
    lower = upper;
  }
  return {
    xs: columns.map(({ atMs }) => (atMs - fromMs) / lengthMs),
    areas,
    top,
    ticks: Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step),
  };
}

/** The end of an axis of sizes: a few steps of 1, 2 or 5 times a power of ten, of a power of 1024. */
function roundTop(greatest: number): { readonly top: number; readonly step: number } {
  const unit = 1_024 ** Math.floor(Math.log(greatest) / Math.log(1_024));
  const wanted = greatest / unit / 4;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= wanted) ?? 10;
  const step = factor * power * unit;
  return { top: Math.ceil(greatest / step) * step, step };
}
