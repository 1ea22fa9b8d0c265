import type { ByteReader, ByteWriter } from "../../base/index.ts";

/** Fewest bytes of two's complement that hold the value, as `BigInteger.toByteArray` of Java counts them. */
function byteCount(value: bigint): number {
  // Bits of the magnitude that matter: those of ~v for a negative v.
  const magnitude = value < 0n ? ~value : value;
  const bits =
    magnitude === 0n ? 0 : (magnitude.toString(16).length - 1) * 4 + leadingBits(magnitude);
  return Math.floor(bits / 8) + 1;
}

function leadingBits(magnitude: bigint): number {
  const first = Number.parseInt(magnitude.toString(16).slice(0, 1), 16);
  return 32 - Math.clz32(first);
}

/** Appends the value as two's complement, high byte first, behind the varint of its length plus `offset`. */
export function writeBigintBytes(value: bigint, out: ByteWriter, offset: number): void {
  const count = byteCount(value);
  out.writeVarint(count + offset);
  writeTwosComplement(value, count, out);
}

/** `BigIntSerializer` of Flink: an int of the length plus four, with 0, 1 and 10 as a length alone. */
export function writeFlinkBigint(value: bigint, out: ByteWriter): void {
  if (value === 0n) return out.writeInt(1);
  if (value === 1n) return out.writeInt(2);
  if (value === 10n) return out.writeInt(3);
  const count = byteCount(value);
  out.writeInt(count + 4);
  writeTwosComplement(value, count, out);
}

function writeTwosComplement(value: bigint, count: number, out: ByteWriter): void {
  if (count <= 8) {
    const low = BigInt.asIntN(64, value);
    for (let shift = (count - 1) * 8; shift >= 0; shift -= 8)
      out.writeByte(Number((low >> BigInt(shift)) & 0xffn));
    return;
  }
  const hex = BigInt.asUintN(count * 8, value)
    .toString(16)
    .padStart(count * 2, "0");
  for (let at = 0; at < hex.length; at += 2)
    out.writeByte(Number.parseInt(hex.slice(at, at + 2), 16));
}

/** Reads `count` bytes of two's complement. */
export function readBigintBytes(input: ByteReader, count: number): bigint {
  let hex = "0x";
  for (const byte of input.readBytes(count)) hex += byte.toString(16).padStart(2, "0");
  return count === 0 ? 0n : BigInt.asIntN(count * 8, BigInt(hex));
}

/** Reads what {@link writeFlinkBigint} wrote; undefined for Flink's null. */
export function readFlinkBigint(input: ByteReader): bigint | undefined {
  const length = input.readInt();
  switch (length) {
    case 0:
      return undefined;
    case 1:
      return 0n;
    case 2:
      return 1n;
    case 3:
      return 10n;
    default:
      return readBigintBytes(input, length - 4);
  }
}
