import { type Rule, signature } from "../rule.ts";

const STATE =
  /(?:Heap|RocksDB|ForSt|AbstractHeap|AbstractRocksDB|UserFacing|Ttl)\w*(?:State|StateTable|Table)\w*\.(?:update|value|clear|get|put|add|contains|remove|keys|entries|putAll|addAll|serializeCurrentKey\w*)|StateTable\.checkKeyNamespacePreconditions|SerializedCompositeKeyBuilder/u;

/** User code touches keyed state in `snapshotState`, where no key is set. */
export const keyedStateAccessInSnapshotstate: Rule = signature({
  code: "keyed-state-access-in-snapshotstate",
  clues: [
    {
      text: /No key set\. This method should not be called outside of a keyed context/u,
      and: /./u,
      frame: /\.snapshotState$/u,
      confidence: 0.97,
    },
    {
      text: /No key set\. This method should not be called outside of a keyed context/u,
      and: /Could not (?:perform checkpoint|complete snapshot)|checkpoint/iu,
      confidence: 0.95,
    },
    {
      text: /No key set\. This method should not be called outside of a keyed context/u,
      confidence: 0.75,
    },
    {
      text: /NullPointerException|IllegalStateException|AssertionError/u,
      frame: STATE,
      and: /Could not (?:perform checkpoint|complete snapshot) \d+/u,
      confidence: 0.9,
    },
  ],
});
