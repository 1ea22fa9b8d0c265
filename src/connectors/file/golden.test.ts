import { expect, test } from "vitest";

import { ByteReader, ByteWriter } from "../../base/index.ts";
import type { TypeSerializer } from "../../serde/index.ts";
import { fileCommittableType } from "./file-committable.ts";
import { fileEnumeratorStateType, fileSplitType } from "./file-split.ts";

/** What file sources and sinks keep in a checkpoint. Splits and committables carry no snapshot of their type: their fields stay as they are. */

const SPLIT = { splitId: "in/a.ndjson", positionBytes: 4096, lineCount: 17, header: "a,b" };

const KEPT: Readonly<Record<string, { type: TypeSerializer<unknown>; value: unknown }>> = {
  split: kept(fileSplitType, SPLIT),
  "split without a header": kept(fileSplitType, { ...SPLIT, header: undefined }),
  enumerator: kept(fileEnumeratorStateType, { assigned: ["in/b.ndjson"], waiting: [SPLIT] }),
  committable: kept(fileCommittableType, { pending: ".cutwater-1.pending", finished: "part-0-1" }),
};

function kept<T>(type: TypeSerializer<T>, value: T): (typeof KEPT)[string] {
  return { type: type as TypeSerializer<unknown>, value };
}

test("splits, enumerators and committables are written in the bytes of the first version, and read from them", async () => {
  const lines = Object.entries(KEPT).map(([name, { type, value }]) => {
    const out = new ByteWriter();
    type.write(value, out);
    expect(type.read(new ByteReader(out.toBytes()))).toEqual(value);
    return `${name}  ${Buffer.from(out.toBytes()).toString("hex")}`;
  });
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(
    "../../../test/golden/connectors/file-1.txt",
  );
});
