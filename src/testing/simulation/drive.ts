import { nodePlatform } from "../../base/index.ts";
import type { SimulatedPlatform } from "./simulated-platform.ts";

const REAL = nodePlatform();

/** Lets everything happen that promises have made ready. Nothing real takes part, so it always is the same. */
export function drainPromises(): Promise<void> {
  return new Promise((resolve) => REAL.soon(resolve));
}

/**
 * Lets simulated time pass until the promise is settled.
 *
 * @throws Error if nothing is scheduled any more, or after too many steps.
 */
export async function drive<T>(platform: SimulatedPlatform, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let step = 0; step < MAX_STEPS; step++) {
    await drainPromises();
    if (isSettled) return promise;
    if (!platform.step())
      throw new Error("Nothing is scheduled any more, and the promise is not settled");
  }
  throw new Error(`The promise is not settled after ${MAX_STEPS} steps`);
}

/** Lets simulated time pass until this holds, which is looked at each millisecond. @throws Error as `drive` does. */
export function driveUntil(platform: SimulatedPlatform, holds: () => boolean): Promise<void> {
  const held = new Promise<void>((resolve) => {
    const look = (): void => {
      if (holds()) resolve();
      else platform.after(1, look);
    };
    look();
  });
  return drive(platform, held);
}

const MAX_STEPS = 200_000;
