import type { LoadHook, ResolveHook } from "node:module";

import { isNotFound, isOwnSpecifier, loadedModule, otherSpecifiers } from "./job-hooks.ts";

/** Module hooks for `module.register`, which runs them in a thread of their own: Node below 22.15. */

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  if (isOwnSpecifier(specifier)) {
    return await nextResolve(specifier, { ...context, parentURL: import.meta.url });
  }
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    if (isNotFound(error)) {
      for (const other of otherSpecifiers(specifier)) {
        try {
          return await nextResolve(other, context);
        } catch {
          // The first failure is the one to tell.
        }
      }
    }
    throw error;
  }
};

export const load: LoadHook = async (url, context, nextLoad) =>
  loadedModule(url, context.format) ?? (await nextLoad(url, context));
