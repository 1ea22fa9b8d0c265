// What a person writes who needs this one result and nothing else: the measure of all ratios. Their own rates are printed beside
// those that were published for the same loops, so that a slow loop cannot flatter the engine.
import { bidMaker, bids } from "./events.mjs";
import { check } from "./measure.mjs";

/** Watermarks come this many events apart, and stay this far behind the highest timestamp. */
export const WATERMARK_EVERY = 1024;
export const WATERMARK_DELAY_MS = 1000;
export const WINDOW_MS = 60_000;
export const GAP_MS = 10_000;

/**
 * Million events per second of thread CPU time, as measured before on two cores of an AMD EPYC (Zen 3) with Node 20.20: project's
 * performance study, part 1, and part 2 for the chain. Hot records, uniform keys.
 */
export const PUBLISHED = {
  chain: { 1000: "32-38" },
  count: { 1000: "33-35", 100000: "3.3-5.4" },
  tumbling: { 1000: "25-32", 100000: "1.6-3.3" },
  session: { 1000: "19-33", 100000: "1.2-1.35" },
};

/** filter -> map to a new object -> aggregate by key -> sink. */
export function chainLoop(events) {
  const make = bidMaker(events);
  return () => {
    const states = new Map();
    let checksum = 0;
    let emitted = 0;
    for (let index = 0; index < events.count; index++) {
      const bid = make(index);
      if (bid.price < 100_000) continue;
      const mapped = { auction: bid.auction, price: bid.price * 0.908, at: bid.dateTime };
      let state = states.get(mapped.auction);
      if (state === undefined) {
        state = { count: 0, sum: 0 };
        states.set(mapped.auction, state);
      }
      state.count++;
      state.sum += mapped.price;
      checksum += state.sum / state.count;
      emitted++;
    }
    return { emitted, checksum };
  };
}

/** Count by key, no windows. */
export function countLoop(events) {
  const make = bidMaker(events);
  return () => {
    const states = new Map();
    for (let index = 0; index < events.count; index++) {
      const key = make(index).auction;
      const state = states.get(key);
      if (state === undefined) states.set(key, { count: 1 });
      else state.count++;
    }
    let emitted = 0;
    for (const { count } of states.values()) emitted += count;
    return { emitted, checksum: states.size };
  };
}

/** Count by key and minute, a `Map` for each minute; late events are dropped. */
export function tumblingLoop(events) {
  const make = bidMaker(events);
  return () => {
    const windows = new Map();
    let highest = Number.NEGATIVE_INFINITY;
    let watermark = Number.NEGATIVE_INFINITY;
    let currentStart = Number.NaN;
    let current;
    let late = 0;
    let emitted = 0;
    let checksum = 0;
    const fire = (start, window) => {
      for (const [key, state] of window) {
        emitted += state.count;
        checksum += key ^ (state.count + start / WINDOW_MS);
      }
      windows.delete(start);
      if (start === currentStart) currentStart = Number.NaN;
    };
    for (let index = 0; index < events.count; index++) {
      const bid = make(index);
      const timestamp = bid.dateTime;
      if (timestamp > highest) highest = timestamp;
      const start = timestamp - (timestamp % WINDOW_MS);
      if (start + WINDOW_MS - 1 <= watermark) {
        late++;
        continue;
      }
      if (start !== currentStart) {
        currentStart = start;
        current = windows.get(start);
        if (current === undefined) windows.set(start, (current = new Map()));
      }
      const state = current.get(bid.auction);
      if (state === undefined) current.set(bid.auction, { count: 1 });
      else state.count++;
      if (index % WATERMARK_EVERY === WATERMARK_EVERY - 1) {
        watermark = highest - WATERMARK_DELAY_MS - 1;
        for (const [first, window] of windows) {
          if (first + WINDOW_MS - 1 <= watermark) fire(first, window);
        }
      }
    }
    for (const [start, window] of windows) fire(start, window);
    check("late events", late, 0);
    return { emitted, checksum };
  };
}

/** Sessions by key. The one timer of a key stands in a bucket of a second and is moved, not renewed, when it comes up too early. */
export function sessionLoop(events) {
  const make = bidMaker(events);
  return () => {
    const sessions = new Map();
    const buckets = new Map();
    let highest = Number.NEGATIVE_INFINITY;
    let watermark = Number.NEGATIVE_INFINITY;
    let nextBucket = Number.POSITIVE_INFINITY;
    let emitted = 0;
    let checksum = 0;
    const arm = (key, endMs) => {
      const second = Math.ceil(endMs / 1000);
      const bucket = buckets.get(second);
      if (bucket === undefined) buckets.set(second, [key]);
      else bucket.push(key);
      if (second < nextBucket) nextBucket = second;
    };
    const advance = () => {
      while (nextBucket * 1000 <= watermark) {
        const keys = buckets.get(nextBucket) ?? [];
        buckets.delete(nextBucket);
        for (const key of keys) {
          const session = sessions.get(key);
          if (session.end - 1 > watermark) {
            arm(key, session.end);
            continue;
          }
          emitted += session.count;
          checksum += key ^ (session.count + (session.end - session.start));
          sessions.delete(key);
        }
        nextBucket++;
        if (buckets.size === 0) nextBucket = Number.POSITIVE_INFINITY;
      }
    };
    for (let index = 0; index < events.count; index++) {
      const bid = make(index);
      const timestamp = bid.dateTime;
      if (timestamp > highest) highest = timestamp;
      const session = sessions.get(bid.auction);
      if (session !== undefined && timestamp <= session.end && timestamp >= session.start) {
        session.count++;
        if (timestamp + GAP_MS > session.end) session.end = timestamp + GAP_MS;
      } else if (session === undefined) {
        sessions.set(bid.auction, { start: timestamp, end: timestamp + GAP_MS, count: 1 });
        arm(bid.auction, timestamp + GAP_MS);
      } else {
        // A gap that the watermark has not reached yet: the old session ends here.
        emitted += session.count;
        checksum += bid.auction ^ (session.count + (session.end - session.start));
        session.start = timestamp;
        session.end = timestamp + GAP_MS;
        session.count = 1;
      }
      if (index % WATERMARK_EVERY === WATERMARK_EVERY - 1) {
        watermark = highest - WATERMARK_DELAY_MS - 1;
        advance();
      }
    }
    for (const [key, session] of sessions) {
      emitted += session.count;
      checksum += key ^ (session.count + (session.end - session.start));
    }
    return { emitted, checksum };
  };
}

/** One loop by the name that the table uses. */
export const HAND_LOOPS = {
  chain: chainLoop,
  count: countLoop,
  tumbling: tumblingLoop,
  session: sessionLoop,
};

/** The events of one row. */
export { bids };
