import type { Codec } from "./codec.ts";
import { interpretedCodec } from "./interpreted-codec.ts";
import type { TypeShape } from "./type-shape.ts";

/** The fastest codec that this process allows. */
export function compileCodec(shape: TypeShape): Codec {
  return interpretedCodec(shape);
}
