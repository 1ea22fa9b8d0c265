import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Types } from "../../serde/index.ts";
import { csv } from "./csv.ts";
import { ndjson } from "./ndjson.ts";
import { BadRecordError, type RecordFormat } from "./record-format.ts";

const Order = Types.struct({
  id: Types.int(),
  at: Types.timestamp(),
  price: Types.double(),
  customer: Types.struct({ name: Types.string(), vip: Types.optional(Types.boolean()) }),
  items: Types.array(Types.struct({ count: Types.int() })),
});

function problemOf(
  format: RecordFormat<unknown>,
  line: string,
): { message: string; column: number | undefined } {
  try {
    format.createDecoder().decode(line);
  } catch (error) {
    if (error instanceof BadRecordError) return { message: error.message, column: error.column };
    throw error;
  }
  throw new Error(`${line} was taken`);
}

describe("ndjson", () => {
  const good =
    '{"id":1,"at":"2001-01-01T00:00Z","price":2.5,"customer":{"name":"x"},"items":[{"count":3}],"more":true}';

  test("reads declared fields, drops others, and takes ISO text for a moment", () => {
    expect(ndjson(Order).createDecoder().decode(good)).toEqual({
      id: 1,
      at: 978_307_200_000,
      price: 2.5,
      customer: { name: "x" },
      items: [{ count: 3 }],
    });
  });

  test("names the path of what does not fit, and its column", () => {
    const bad = good.replace('"count":3', '"count":"three"');
    expect(problemOf(ndjson(Order), bad)).toEqual({
      message: 'items[0].count: a whole number expected, found "three"',
      column: bad.indexOf('"count"') + 1,
    });
    expect(problemOf(ndjson(Order), good.replace('"id":1', '"id":1e10')).message).toContain(
      "id: 10000000000 is outside the range of int",
    );
    expect(problemOf(ndjson(Order), good.replace('"id":1,', "")).message).toBe(
      "id: a whole number expected, found nothing",
    );
    expect(problemOf(ndjson(Order), good.replace("2001-01-01T00:00Z", "soon")).message).toContain(
      "at: ",
    );
  });

  test("names the column at which a line stops being JSON", () => {
    expect(problemOf(ndjson(), '{"a":1,}').column).toBe(8);
    expect(problemOf(ndjson(), '{"a":').column).toBe(6);
  });

  test("what is written is read back", () => {
    const Wide = Types.struct({
      text: Types.string(),
      number: Types.double(),
      long: Types.long(),
      big: Types.bigint(),
      date: Types.date(),
      bytes: Types.bytes(),
      set: Types.set(Types.int()),
      map: Types.map(Types.string(), Types.bigint()),
      pairs: Types.map(Types.int(), Types.int()),
      tuple: Types.tuple(Types.int(), Types.string()),
      maybe: Types.nullable(Types.int()),
    });
    const format = ndjson(Wide);
    const value = fc.record({
      text: fc.string({ unit: "binary" }),
      number: fc.double({ noDefaultInfinity: false }).map((n) => (Object.is(n, -0) ? 0 : n)),
      long: fc.maxSafeInteger(),
      big: fc.bigInt(),
      date: fc.date({ noInvalidDate: true }),
      bytes: fc.uint8Array(),
      set: fc.array(fc.integer()).map((list) => new Set(list)),
      map: fc
        .dictionary(
          fc.string().filter((key) => key !== "__proto__"),
          fc.bigInt(),
        )
        .map((o) => new Map(Object.entries(o))),
      pairs: fc.array(fc.tuple(fc.integer(), fc.integer())).map((list) => new Map(list)),
      tuple: fc.tuple(fc.integer(), fc.string()),
      maybe: fc.option(fc.integer()),
    });
    fc.assert(
      fc.property(value, (record) => {
        const line = format.encode(record);
        expect(line).not.toContain("\n");
        expect(format.createDecoder().decode(line)).toEqual(record);
      }),
    );
  });
});

describe("csv", () => {
  const Row = Types.struct({
    name: Types.string(),
    count: Types.int(),
    note: Types.optional(Types.string()),
  });

  test("columns follow the header; unknown ones are dropped", () => {
    const decoder = csv(Row).createDecoder();
    decoder.readHeader("count,extra,name,note");
    expect(decoder.decode('3,x,"a ""b"", c",')).toEqual({
      name: 'a "b", c',
      count: 3,
      note: undefined,
    });
  });

  test("a header that lacks a field is refused", () => {
    expect(() => csv(Row).createDecoder().readHeader("name,note")).toThrow(
      "the header lacks count",
    );
  });

  test("a wrong number of columns is named, and so is the column of a bad field", () => {
    const format = csv(Row, { header: false });
    expect(problemOf(format, "a,1")).toEqual({
      message: "3 columns expected, 2 found",
      column: undefined,
    });
    expect(problemOf(format, '"a,b",x,')).toEqual({
      message: 'count: "x" is no whole number',
      column: 7,
    });
    expect(problemOf(format, '"a')).toEqual({ message: "a quoted field does not end", column: 1 });
  });

  test("what is written is read back, line breaks within fields too", () => {
    const format = csv(Row, { header: false });
    const value = fc.record({
      name: fc.string({ unit: "binary" }),
      count: fc.integer(),
      note: fc.string({ minLength: 1 }),
    });
    fc.assert(
      fc.property(value, (record) => {
        const bytes = Buffer.from(`${format.encode(record)}\nnext`);
        fc.pre(bytes.toString() === `${format.encode(record)}\nnext`);
        const end = format.endOfRecord(bytes, 0, bytes.length);
        expect(format.createDecoder().decode(bytes.toString("utf8", 0, end))).toEqual(record);
      }),
    );
  });
});
