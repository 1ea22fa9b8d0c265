/**
 * Own copies of a module, so that hot code keeps its own type feedback.
 *
 * @remarks
 * V8 collects types per function. One `MapOperator` shared by all jobs of a process sees many shapes at the same call
 * site, stops inlining and runs at 7 to 23 % of a hand-written loop; imported once per operator it runs at
 * 54 to 90 % (docs/decisions/0001-own-module-instance-per-operator.md). Instances are never unloaded, so a key names
 * an operator of a job, and the same job run again gets the same instance.
 */

/**
 * Imports the module at `moduleUrl` (its `import.meta.url`) as the instance of its own that `key` names.
 *
 * @typeParam M - The module's namespace: `typeof import("./file.ts")`.
 */
export async function importModuleInstance<M>(moduleUrl: string, key: string): Promise<M> {
  const url = new URL(moduleUrl);
  url.search = `?instance=${encodeURIComponent(key)}`;
  return (await import(url.href)) as M;
}
