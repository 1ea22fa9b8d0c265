import { type Rule, signature } from "../rule.ts";

/** The HDFS token passed its lifetime. */
export const kerberosDelegationTokenExpired: Rule = signature({
  code: "kerberos-delegation-token-expired",
  clues: [
    {
      text: /token \([^)]*DELEGATION_TOKEN[^)]*\)[^\n]*(?:can't be found in cache|is expired)|DELEGATION_TOKEN.*(?:can't be found|is expired|has expired)/u,
      confidence: 1.05,
    },
    {
      text: /SecretManager\$InvalidToken|InvalidToken/u,
      and: /hdfs|token|kerberos/iu,
      confidence: 1,
    },
    {
      text: /No valid credentials provided|Failed to find any Kerberos (?:tgt|credentails|credentials)|GSSException|Ticket expired|TGT expired/iu,
      roles: ["checkpoint", "task", "job", "restore", "report", "trouble"],
      not: /kafka|zookeeper/iu,
      confidence: 0.95,
    },
  ],
  remedies: [
    "security.kerberos.login.keytab",
    "security.kerberos.login.principal",
    ["security.kerberos.login.use-ticket-cache", "false"],
  ],
});
