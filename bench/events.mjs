// The events of all benchmarks: bids, made of a pool that stays in cache, as a record does when a source has just made it.

const CHANNELS = ["Google", "Apple", "Facebook", "Baidu"];
const POOL_SIZE = 8192;
const AUCTIONS = 1 << 20;
const BASE_MS = 1_700_000_000_000;
/** Events per millisecond of event time. */
const EVENTS_PER_MS = 10;

/** The time of the first event: the start of a minute. */
export const FIRST_MS = BASE_MS - (BASE_MS % 60_000);

function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    return ((state >>> 8) ^ (state << 13)) >>> 0;
  };
}

/** A generator of bids by their number, over `keys` auctions chosen at random. Each caller has its own, with its own pool. */
export function bids(count, keys) {
  const next = random(12_345);
  const auctions = new Int32Array(AUCTIONS);
  for (let index = 0; index < auctions.length; index++) auctions[index] = next() % keys;
  const urls = Array.from(
    { length: 1024 },
    (_, index) => `https://www.example.com/${String(index).padStart(4, "0")}/${"item".repeat(10)}`,
  );
  const pool = Array.from({ length: POOL_SIZE }, () => ({
    auction: 0,
    bidder: next() % 10_000,
    price: next() % 1_000_000,
    channel: CHANNELS[next() % CHANNELS.length],
    url: urls[next() % urls.length],
    dateTime: BASE_MS + 0.5,
  }));
  return { pool, auctions, count };
}

/**
 * The text of a function that makes the bid of a number, so that each loop that uses it has one of its own, as two functions
 * written in two places would be.
 */
export function bidMaker({ pool, auctions }) {
  const make = new Function(
    "pool",
    "auctions",
    `return (index) => {
      const bid = pool[index & ${POOL_SIZE - 1}];
      bid.auction = auctions[index & ${AUCTIONS - 1}];
      bid.dateTime = ${FIRST_MS} + Math.floor(index / ${EVENTS_PER_MS});
      return bid;
    };`,
  );
  return make(pool, auctions);
}
