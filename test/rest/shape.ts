/**
 * What a JSON value is made of: for each path the types that stand there. Array elements share a path (`[]`), and so do fields whose
 * names are ids. `"NaN"` counts as a number: Flink writes it where a number is not known.
 */
export type Shape = ReadonlyMap<string, ReadonlySet<string>>;

/** Names that stand for many: ids of vertices, and the states of a job in `jobs` of an application. */
const ID = /^[0-9a-f]{32}$/;

export function shapeOf(value: unknown): Shape {
  const shape = new Map<string, Set<string>>();
  const add = (path: string, type: string): void => {
    const types = shape.get(path) ?? new Set<string>();
    types.add(type);
    shape.set(path, types);
  };
  const walk = (at: unknown, path: string): void => {
    if (Array.isArray(at)) {
      add(path, "array");
      for (const element of at) walk(element, `${path}[]`);
    } else if (typeof at === "object" && at !== null) {
      add(path, "object");
      for (const [name, field] of Object.entries(at)) {
        walk(field, `${path}.${ID.test(name) ? "*" : name}`);
      }
    } else add(path, at === null ? "null" : at === "NaN" ? "number" : typeof at);
  };
  walk(value, "");
  return shape;
}

/** Where ours differs from Flink's, one line each; none if they are alike. */
export function shapeDifferences(ours: Shape, flinks: Shape): readonly string[] {
  const missing = [...flinks.keys()]
    .filter((path) => !ours.has(path))
    .map((path) => `lacks ${path}`);
  const more = [...ours.keys()].filter((path) => !flinks.has(path)).map((path) => `adds ${path}`);
  const others = [...ours].flatMap(([path, types]) => {
    const wanted = flinks.get(path);
    if (wanted === undefined) return [];
    const strange = [...types].filter((type) => !wanted.has(type));
    return strange.length === 0
      ? []
      : [`${path} is ${strange.join(" or ")}, in Flink ${[...wanted].join(" or ")}`];
  });
  return [...missing, ...more, ...others];
}
