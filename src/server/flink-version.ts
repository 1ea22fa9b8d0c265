/** The Flink whose REST this server answers like; its clients decide by it what they ask for. */
export const FLINK_VERSION = "2.3.0";

/** Says what really answers, where Flink names its commit. */
export function revisionOf(version: string): string {
  return `cutwater ${version}`;
}
