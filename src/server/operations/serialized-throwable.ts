import { ByteWriter, modifiedUtf8Length, writeModifiedUtf8 } from "../../base/index.ts";

const TC_NULL = 0x70;
const TC_CLASSDESC = 0x72;
const TC_OBJECT = 0x73;
const TC_STRING = 0x74;
const TC_ENDBLOCKDATA = 0x78;
const TC_LONGSTRING = 0x7c;
/** `SC_SERIALIZABLE`, and with `SC_WRITE_METHOD`. */
const SERIALIZABLE = 0x02;
const SERIALIZABLE_WITH_METHOD = 0x03;

interface JavaClass {
  readonly name: string;
  readonly serialVersionUid: bigint;
  readonly flags: number;
  /** Name and signature, sorted by name as Java sorts them. */
  readonly fields: readonly (readonly [name: string, signature: string])[];
}

const STRING = "Ljava/lang/String;";

/** From the class to its farthest ancestor that is serializable. */
const CLASSES: readonly JavaClass[] = [
  {
    name: "org.apache.flink.util.SerializedThrowable",
    serialVersionUid: 0x65169df51fa713f3n,
    flags: SERIALIZABLE,
    fields: [
      ["fullStringifiedStackTrace", STRING],
      ["originalErrorClassName", STRING],
      ["serializedException", "[B"],
    ],
  },
  {
    name: "java.lang.Exception",
    serialVersionUid: 0xd0fd1f3e1a3b1cc4n,
    flags: SERIALIZABLE,
    fields: [],
  },
  {
    name: "java.lang.Throwable",
    serialVersionUid: 0xd5c635273977b8cbn,
    flags: SERIALIZABLE_WITH_METHOD,
    fields: [
      ["cause", "Ljava/lang/Throwable;"],
      ["detailMessage", STRING],
      ["stackTrace", "[Ljava/lang/StackTraceElement;"],
      ["suppressedExceptions", "Ljava/util/List;"],
    ],
  },
];

/**
 * An error in the form in which Flink's own clients read it: Java's serialization of a `SerializedThrowable`, without the
 * original exception, which Flink leaves out too where it cannot be serialized.
 *
 * @param className - What the original error was.
 * @param stackText - As it is printed.
 */
export function serializedThrowable(
  className: string,
  message: string,
  stackText: string,
): Uint8Array {
  const writer = new ByteWriter();
  writer.writeShort(0xaced - 0x10000);
  writer.writeShort(5);
  writer.writeByte(TC_OBJECT);
  for (const { name, serialVersionUid, flags, fields } of CLASSES) {
    writer.writeByte(TC_CLASSDESC);
    writeShortString(writer, name);
    writer.writeLong(BigInt.asIntN(64, serialVersionUid));
    writer.writeByte(flags);
    writer.writeShort(fields.length);
    for (const [field, signature] of fields) {
      writer.writeByte(signature.startsWith("[") ? "[".charCodeAt(0) : "L".charCodeAt(0));
      writeShortString(writer, field);
      writeString(writer, signature);
    }
    writer.writeByte(TC_ENDBLOCKDATA);
  }
  // No further ancestor.
  writer.writeByte(TC_NULL);
  // The farthest ancestor's values come first.
  writer.writeByte(TC_NULL);
  writeString(writer, message);
  writer.writeByte(TC_NULL);
  writer.writeByte(TC_NULL);
  writer.writeByte(TC_ENDBLOCKDATA);
  writeString(writer, stackText);
  writeString(writer, className);
  writer.writeByte(TC_NULL);
  return writer.toBytes();
}

function writeShortString(writer: ByteWriter, text: string): void {
  writer.writeShort(modifiedUtf8Length(text));
  writeModifiedUtf8(text, writer);
}

function writeString(writer: ByteWriter, text: string): void {
  const length = modifiedUtf8Length(text);
  if (length < 0x8000) {
    writer.writeByte(TC_STRING);
    writer.writeShort(length);
  } else {
    writer.writeByte(TC_LONGSTRING);
    writer.writeLong(BigInt(length));
  }
  writeModifiedUtf8(text, writer);
}
