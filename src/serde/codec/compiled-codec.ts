import type { Codec } from "./codec.ts";
import { generatedCodec } from "./generated-codec.ts";
import { interpretedCodec } from "./interpreted-codec.ts";
import type { TypeShape } from "../type-shape.ts";

/** The fastest codec that this process allows. */
export function compileCodec(shape: TypeShape): Codec {
  try {
    return generatedCodec(shape);
  } catch (error) {
    if (error instanceof EvalError) return interpretedCodec(shape); // --disallow-code-generation-from-strings
    throw error;
  }
}
