export type Language = "en" | "zh";

/** What there is to know about one cause. */
export interface Article {
  readonly title: string;
  /** What happens, and why a checkpoint fails by it. */
  readonly why: string;
  /** What to do. */
  readonly fix: string;
}
