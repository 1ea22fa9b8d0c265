import { TimeWindow } from "./time-window.ts";

/**
 * The order in which Flink goes through windows that become one, which decides whose contents come first in a merged list.
 *
 * @remarks
 * It is that of a Java hash set of time windows: a function of the windows alone, so it is the same after a restore. Windows of
 * other classes stay in the order given.
 *
 * Source: Flink `MergingWindowSet`, `TimeWindow.hashCode`; Java `HashMap`.
 *
 * @param windows - Those that become one, in order of time.
 */
export function inFlinkMergeOrder<W>(windows: readonly W[]): readonly W[] {
  if (windows.length < 2) return windows;
  let buckets = 16;
  while (windows.length > buckets * 0.75) buckets *= 2;
  const placed: { readonly window: W; readonly bucket: number }[] = [];
  for (const window of windows) {
    if (!(window instanceof TimeWindow)) return windows;
    const hash = mixBits(window.start + window.end);
    placed.push({ window, bucket: (hash ^ (hash >>> 16)) & (buckets - 1) });
  }
  return placed.toSorted((a, b) => a.bucket - b.bucket).map(({ window }) => window);
}

/** Flink `MathUtils.longToIntWithBitMixing`. */
function mixBits(value: number): number {
  let bits = BigInt.asUintN(64, BigInt(Number.isFinite(value) ? Math.trunc(value) : 0));
  bits = BigInt.asUintN(64, (bits ^ (bits >> 30n)) * 0xbf58476d1ce4e5b9n);
  bits = BigInt.asUintN(64, (bits ^ (bits >> 27n)) * 0x94d049bb133111ebn);
  bits ^= bits >> 31n;
  return Number(BigInt.asIntN(32, bits));
}
