import {
  countEvictor,
  CountTrigger,
  type Evictor,
  type GlobalWindow,
  PurgingTrigger,
  type Trigger,
} from "../operators/index.ts";

/** As a windowed stream is: each call returns another. */
interface Windows<T, S> {
  trigger(trigger: Trigger<T, GlobalWindow>): S;
  evictor(evictor: Evictor<T, GlobalWindow>): S;
}

/** Lets windows over everything fire by count; undefined `slide` is `size`. */
export function countWindows<T, S extends Windows<T, S>>(
  windows: Windows<T, S>,
  size: number,
  slide: number | undefined,
): S {
  if (slide === undefined) return windows.trigger(PurgingTrigger.of(CountTrigger.of(size)));
  return windows.evictor(countEvictor(size)).trigger(CountTrigger.of(slide));
}
