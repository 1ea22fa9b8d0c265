import type { ByteWriter } from "../../base/index.ts";
import type { CheckpointProperties, SnapshotType } from "./checkpoint-properties.ts";
import { type JavaObject, type JavaValue, readJavaObject } from "./java-object-stream.ts";
import type { MetadataInput } from "./metadata-input.ts";
import { writeText } from "./metadata-text.ts";

const PACKAGE = "org.apache.flink.runtime.checkpoint.";
const PROPERTIES = `${PACKAGE}CheckpointProperties`;
const CHECKPOINT = `${PACKAGE}CheckpointType`;
const SAVEPOINT = `${PACKAGE}SavepointType`;
const SHARING = `${PACKAGE}SnapshotType$SharingFilesStrategy`;
const FORMAT = "org.apache.flink.core.execution.SavepointFormatType";
const ACTION = `${PACKAGE}SavepointType$PostCheckpointAction`;

/** A field of a description: its Java type descriptor and, if that is a class, its name. */
type FieldTemplate = readonly [name: string, type: "Z" | `L${string};`];

/** Serial versions and fields as every release from 1.16 to 2.2 wrote them. */
const CLASSES: {
  readonly [N in string]: {
    readonly serialVersion: bigint;
    readonly fields: readonly FieldTemplate[];
  };
} = {
  [PROPERTIES]: {
    serialVersion: 2n,
    fields: [
      ["discardCancelled", "Z"],
      ["discardFailed", "Z"],
      ["discardFinished", "Z"],
      ["discardSubsumed", "Z"],
      ["discardSuspended", "Z"],
      ["forced", "Z"],
      ["unclaimed", "Z"],
      ["checkpointType", "Lorg/apache/flink/runtime/checkpoint/SnapshotType;"],
    ],
  },
  [CHECKPOINT]: {
    serialVersion: 0xd6de_4f03_05ae_1d3an,
    fields: [
      ["name", "Ljava/lang/String;"],
      ["sharingFilesStrategy", descriptor(SHARING)],
    ],
  },
  [SAVEPOINT]: {
    serialVersion: 0xa087_d308_a458_14b8n,
    fields: [
      ["formatType", descriptor(FORMAT)],
      ["name", "Ljava/lang/String;"],
      ["postCheckpointAction", descriptor(ACTION)],
    ],
  },
};

function descriptor(className: string): `L${string};` {
  return `L${className.replaceAll(".", "/")};`;
}

/**
 * Reads the checkpoint properties, which run to the end of the input; undefined where null was written.
 *
 * @throws MalformedBytesError if they are malformed, or of a class or with a constant that no known release wrote.
 */
export function decodeProperties(input: MetadataInput): CheckpointProperties | undefined {
  const value = readJavaObject(input);
  if (value === null) return undefined;
  const properties = objectOf(value, "checkpoint properties", [PROPERTIES], input);
  const flag = (name: string): boolean => {
    const found = properties.fields.get(name);
    return typeof found === "boolean"
      ? found
      : input.fail(`expected a boolean ${name} in the checkpoint properties`);
  };
  return {
    isForced: flag("forced"),
    type: decodeType(properties.fields.get("checkpointType"), input),
    discardSubsumed: flag("discardSubsumed"),
    discardFinished: flag("discardFinished"),
    discardCancelled: flag("discardCancelled"),
    discardFailed: flag("discardFailed"),
    discardSuspended: flag("discardSuspended"),
    isUnclaimed: flag("unclaimed"),
  };
}

function decodeType(value: JavaValue | undefined, input: MetadataInput): SnapshotType {
  const type = objectOf(value, "type of checkpoint", [CHECKPOINT, SAVEPOINT], input);
  const name = type.fields.get("name");
  if (typeof name !== "string") return input.fail("expected a name of the type of checkpoint");
  const constant = <C extends string>(
    field: string,
    className: string,
    allowed: readonly C[],
  ): C => {
    const found = type.fields.get(field);
    if (typeof found === "object" && found?.kind === "enum" && found.className === className) {
      const known = allowed.find((candidate) => candidate === found.constant);
      if (known !== undefined) return known;
    }
    return input.fail(
      `expected ${field} of the checkpoint properties to be one of ${allowed.join(", ")}`,
    );
  };
  if (type.className === CHECKPOINT) {
    const strategies = ["FORWARD_BACKWARD", "FORWARD", "NO_SHARING"] as const;
    return {
      kind: "checkpoint",
      name,
      sharingFilesStrategy: constant("sharingFilesStrategy", SHARING, strategies),
    };
  }
  return {
    kind: "savepoint",
    name,
    format: constant("formatType", FORMAT, ["CANONICAL", "NATIVE"]),
    postCheckpointAction: constant("postCheckpointAction", ACTION, [
      "NONE",
      "SUSPEND",
      "TERMINATE",
    ]),
  };
}

function objectOf(
  value: JavaValue | undefined,
  what: string,
  classNames: readonly string[],
  input: MetadataInput,
): JavaObject {
  if (typeof value === "object" && value?.kind === "object" && classNames.includes(value.className))
    return value;
  const found = typeof value === "object" && value !== null ? value.className : String(value);
  return input.fail(`expected ${what} of class ${classNames.join(" or ")}, found ${found}`);
}

/** Writes the properties as Flink's `ObjectOutputStream` does, byte for byte; null where there are none. */
export function encodeProperties(
  properties: CheckpointProperties | undefined,
  out: ByteWriter,
): void {
  new JavaObjectWriter(out).writeProperties(properties);
}

/** Numbers records as `ObjectOutputStream` does, so that what came before is written as a reference. */
class JavaObjectWriter {
  readonly #out: ByteWriter;
  readonly #handles = new Map<string, number>();
  #handleCount = 0;

  constructor(out: ByteWriter) {
    this.#out = out;
  }

  writeProperties(properties: CheckpointProperties | undefined): void {
    this.#out.writeInt(0xaced_0005 | 0);
    if (properties === undefined) {
      this.#out.writeByte(0x70);
      return;
    }
    this.#beginObject(PROPERTIES);
    this.#out.writeBoolean(properties.discardCancelled);
    this.#out.writeBoolean(properties.discardFailed);
    this.#out.writeBoolean(properties.discardFinished);
    this.#out.writeBoolean(properties.discardSubsumed);
    this.#out.writeBoolean(properties.discardSuspended);
    this.#out.writeBoolean(properties.isForced);
    this.#out.writeBoolean(properties.isUnclaimed);
    const { type } = properties;
    if (type.kind === "checkpoint") {
      this.#beginObject(CHECKPOINT);
      this.#writeString(type.name);
      this.#writeEnum(SHARING, type.sharingFilesStrategy);
    } else {
      this.#beginObject(SAVEPOINT);
      this.#writeEnum(FORMAT, type.format);
      this.#writeString(type.name);
      this.#writeEnum(ACTION, type.postCheckpointAction);
    }
  }

  #beginObject(className: string): void {
    this.#out.writeByte(0x73);
    const { serialVersion, fields } = CLASSES[className] ?? { serialVersion: 0n, fields: [] };
    this.#out.writeByte(0x72);
    writeText(className, this.#out);
    this.#out.writeLong(BigInt.asIntN(64, serialVersion));
    this.#handleCount++;
    this.#out.writeByte(0x02);
    this.#out.writeShort(fields.length);
    for (const [name, type] of fields) {
      this.#out.writeByte(type.charCodeAt(0));
      writeText(name, this.#out);
      if (type !== "Z") this.#writeInterned(type);
    }
    this.#out.writeByte(0x78);
    this.#out.writeByte(0x70);
    this.#handleCount++;
  }

  #writeEnum(className: string, constant: string): void {
    this.#out.writeByte(0x7e);
    this.#beginEnumDescription(className);
    this.#out.writeByte(0x78);
    if (!this.#writeReference("class java.lang.Enum")) {
      this.#beginEnumDescription("java.lang.Enum");
      this.#out.writeByte(0x78);
      this.#out.writeByte(0x70);
    }
    this.#handleCount++;
    this.#writeInterned(constant);
  }

  #beginEnumDescription(className: string): void {
    this.#out.writeByte(0x72);
    writeText(className, this.#out);
    this.#out.writeLong(0n);
    this.#handles.set(`class ${className}`, this.#handleCount++);
    this.#out.writeByte(0x12);
    this.#out.writeShort(0);
  }

  /** A string that the JVM has only once, such as the type of a field: equal means same. */
  #writeInterned(text: string): void {
    if (this.#writeReference(`string ${text}`)) return;
    this.#handles.set(`string ${text}`, this.#handleCount);
    this.#writeString(text);
  }

  #writeString(text: string): void {
    this.#out.writeByte(0x74);
    writeText(text, this.#out);
    this.#handleCount++;
  }

  #writeReference(name: string): boolean {
    const handle = this.#handles.get(name);
    if (handle === undefined) return false;
    this.#out.writeByte(0x71);
    this.#out.writeInt(0x7e_0000 + handle);
    return true;
  }
}
