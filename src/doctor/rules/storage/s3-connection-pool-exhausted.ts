import { option, type Rule, signature } from "../rule.ts";

/** More requests at a time than the client has connections. */
export const s3ConnectionPoolExhausted: Rule = signature({
  code: "s3-connection-pool-exhausted",
  clues: [
    {
      text: /Timeout waiting for connection from pool|ConnectionPoolTimeoutException|Acquire operation took longer than the configured maximum time|Unable to acquire (?:a )?connection.*pool|Maximum pending acquire(?:s)? (?:operations )?(?:limit )?exceeded|Acquiring new maximum connections/u,
      confidence: 0.95,
    },
  ],
  remediesOf(facts) {
    const hadoop =
      facts.settingNamed("fs.s3a.connection.maximum") !== undefined ||
      facts.has(/\bs3a:\/\/|S3AFileSystem/u);
    const wanted = hadoop
      ? (["fs.s3a.connection.maximum", "s3.connection.maximum"] as const)
      : (["s3.connection.maximum", "fs.s3a.connection.maximum"] as const);
    const current = Number(
      facts.settingNamed("fs.s3a.connection.maximum", "s3.connection.maximum")?.value ?? Number.NaN,
    );
    const proposed = String(Math.max(100, Number.isFinite(current) ? current * 8 : 200));
    return wanted.map((id) => option(facts, id, proposed));
  },
});
