import { type OptionTable, OptionTypes, StreamError } from "../../base/index.ts";

/** Where and for whom the server listens. */
export interface ServerSettings {
  /** 0: any free port; -1: no server. */
  readonly port: number;
  readonly bindAddress: string;
  /** Asked for in `Authorization: Bearer`. */
  readonly token: string | undefined;
  /** Static files at `/`. */
  readonly pageDirectory: string | undefined;
}

export const SERVER_OPTIONS: OptionTable<ServerSettings> = {
  port: {
    key: "rest.port",
    deprecatedKeys: ["web.port", "rest.bind-port"],
    type: OptionTypes.integer({ min: -1, max: 65_535 }),
    initial: 8081,
    description:
      "Port of REST and page. In use: another one is taken, unless this one was asked for; 0: any free one; -1: no server.",
  },
  bindAddress: {
    key: "rest.bind-address",
    deprecatedKeys: ["rest.address"],
    type: OptionTypes.string(),
    initial: "127.0.0.1",
    description:
      "Address that the server listens at. Any but this machine's own needs cutwater.rest.token.",
  },
  token: {
    key: "cutwater.rest.token",
    deprecatedKeys: [],
    type: OptionTypes.optional(OptionTypes.string()),
    initial: undefined,
    description:
      "Token that every request must carry (Authorization: Bearer), of at least 16 characters.",
  },
  pageDirectory: {
    key: "cutwater.web.directory",
    deprecatedKeys: [],
    type: OptionTypes.optional(OptionTypes.string()),
    initial: undefined,
    description: "Static files to serve at / instead of the page, such as Flink's own web UI.",
  },
};

/** A shorter token can be guessed. */
const MIN_TOKEN_LENGTH = 16;

/**
 * Refuses an address that others can reach, unless a token is asked for.
 *
 * @throws StreamError SERVER_UNPROTECTED.
 */
export function checkServerAddress({
  bindAddress,
  token,
}: Pick<ServerSettings, "bindAddress" | "token">): void {
  if (isLoopback(bindAddress)) return;
  if (token === undefined || token.length < MIN_TOKEN_LENGTH) {
    throw new StreamError("SERVER_UNPROTECTED", { address: bindAddress });
  }
}

/** True for an address that only this machine can reach. */
export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);
}
