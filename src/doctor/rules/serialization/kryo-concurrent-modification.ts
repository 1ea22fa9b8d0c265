import { type Rule, signature } from "../rule.ts";

const WRITING =
  /com\.esotericsoftware\.kryo|KryoSerializer|(?:Map|List|Collection|Pojo|Generic\w*)Serializer\.(?:copy|serialize)/u;

/** A state object changes while Kryo writes it. */
export const kryoConcurrentModification: Rule = signature({
  code: "kryo-concurrent-modification",
  clues: [
    {
      text: /ConcurrentModificationException/u,
      frame: WRITING,
      noFrame: /Enumerator|SourceCoordinator/u,
      confidence: 0.95,
    },
    {
      text: /ConcurrentModificationException/u,
      and: /Kryo|Serialization trace/u,
      confidence: 0.95,
    },
    {
      text: /(?:Array)?IndexOutOfBoundsException|NegativeArraySizeException/u,
      frame: /com\.esotericsoftware\.kryo|KryoSerializer\.(?:copy|serialize)/u,
      and: /checkpoint|snapshot/iu,
      noFrame: /KryoSerializer\.deserialize|\.restore\w*$/u,
      confidence: 0.9,
    },
    {
      text: /ConcurrentModificationException/u,
      and: /Could not (?:materialize checkpoint|complete snapshot|perform checkpoint)/u,
      noFrame: /Enumerator|SourceCoordinator/u,
      confidence: 0.84,
    },
  ],
});
