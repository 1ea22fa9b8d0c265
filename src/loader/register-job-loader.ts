import * as module from "node:module";

import { isNotFound, isOwnSpecifier, loadedModule, otherSpecifiers } from "./job-hooks.ts";

/** Of `module.registerHooks`, which the types of Node 20 do not have. */
interface SynchronousHooks {
  resolve(
    specifier: string,
    context: object,
    next: (specifier: string, context: object) => object,
  ): object;
  load(
    url: string,
    context: { readonly format?: string | null },
    next: (url: string, context: object) => object,
  ): object;
}

let isRegistered = false;

/**
 * Makes this thread load TypeScript job files, and `cutwater` in them as the running package. Call it once per thread, before a job file is
 * imported; further calls do nothing.
 *
 * @remarks
 * Node from 22.15 on runs the hooks in the thread itself; before, they have a thread of their own (about 35 ms of CPU).
 */
export function registerJobLoader(): void {
  if (isRegistered) return;
  isRegistered = true;
  if ("registerHooks" in module && typeof module.registerHooks === "function") {
    module.registerHooks(HOOKS);
  } else {
    module.register(new URL(`../loader/job-hooks-thread${EXTENSION}`, import.meta.url));
  }
}

/** `.js` in the built package. */
const EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf("."));

const HOOKS: SynchronousHooks = {
  resolve(specifier, context, next) {
    if (isOwnSpecifier(specifier))
      return next(specifier, { ...context, parentURL: import.meta.url });
    try {
      return next(specifier, context);
    } catch (error) {
      if (isNotFound(error)) {
        for (const other of otherSpecifiers(specifier)) {
          try {
            return next(other, context);
          } catch {
            // The first failure is the one to tell.
          }
        }
      }
      throw error;
    }
  },
  load: (url, context, next) => loadedModule(url, context.format) ?? next(url, context),
};
