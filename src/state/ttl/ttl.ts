import type { StateTtlConfig } from "../descriptor.ts";
import type { ProcessingTimeService } from "../keyed-state.ts";
import type { TtlValue } from "./ttl-value.ts";

/** What an access to a value with time-to-live finds. */
export type TtlAccess =
  | { readonly kind: "live"; readonly value: unknown; readonly renewed: TtlValue | undefined }
  /** To be removed; `value` is what the reader still gets. */
  | { readonly kind: "expired"; readonly value: unknown };

/**
 * The rules of time-to-live for one value, list element or map entry.
 *
 * Source: Flink `AbstractTtlDecorator`, `TtlUtils.expired`.
 */
export class Ttl {
  readonly config: StateTtlConfig;
  readonly #clock: Pick<ProcessingTimeService, "nowMs">;

  constructor(config: StateTtlConfig, clock: Pick<ProcessingTimeService, "nowMs">) {
    this.config = config;
    this.#clock = clock;
  }

  wrap(value: unknown): TtlValue {
    return { value, lastAccessMs: this.#clock.nowMs() };
  }

  isExpired({ lastAccessMs }: TtlValue): boolean {
    return lastAccessMs + this.config.ttlMs <= this.#clock.nowMs();
  }

  access(held: TtlValue): TtlAccess {
    if (this.isExpired(held)) {
      const stillSeen = this.config.visibility === "ReturnExpiredIfNotCleanedUp";
      return { kind: "expired", value: stillSeen ? held.value : undefined };
    }
    const renewed = this.config.updateType === "OnReadAndWrite" ? this.wrap(held.value) : undefined;
    return { kind: "live", value: held.value, renewed };
  }
}
