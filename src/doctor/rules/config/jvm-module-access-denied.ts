import { options, type Rule, signature } from "../rule.ts";

/** Packages that the configuration shipped with Flink opens or exports. */
const SHIPPED = new Set([
  "java.lang",
  "java.net",
  "java.io",
  "java.nio",
  "sun.nio.ch",
  "java.lang.reflect",
  "java.text",
  "java.time",
  "java.util",
  "java.util.concurrent",
  "java.util.concurrent.atomic",
  "java.util.concurrent.locks",
  "sun.net.util",
  "sun.rmi.registry",
  "sun.security.krb5",
  "com.sun.tools.javac.api",
  "com.sun.tools.javac.file",
  "com.sun.tools.javac.parser",
  "com.sun.tools.javac.tree",
  "com.sun.tools.javac.util",
]);

/** True if a text says that a package is closed which the shipped configuration opens. */
export function moduleDenied(text: string): boolean {
  const found = /does not "?(?:opens|exports) ([\w.]+)"? to/u.exec(text);
  return found !== null && SHIPPED.has(found[1] ?? "");
}

/** Flags that open the JDK's modules to reflection are missing; Flink's shipped configuration has them. */
export const jvmModuleAccessDenied: Rule = signature({
  code: "jvm-module-access-denied",
  clues: [
    {
      text: /InaccessibleObjectException|IllegalAccessError|module java\.\w+ does not "?(?:opens|exports)/u,
      and: /does not "?(?:opens|exports) [\w.]+"? to/u,
      confidence: 0.95,
    },
  ],
  judge: (confidence, facts, match) =>
    moduleDenied(facts.textOf(match.statement.event)) ? confidence : 0.35,
  subjects: (match, facts) => ({
    package: /does not "?(?:opens|exports) ([\w.]+)/u.exec(
      facts.textOf(match.statement.event),
    )?.[1],
  }),
  remediesOf: (facts, match) => {
    const found = /module ([\w.]+) does not "?(opens|exports) ([\w.]+)/u.exec(
      facts.textOf(match.statement.event),
    );
    return options(facts, [
      "env.java.opts.all",
      found === null ? undefined : `--add-${found[2]}=${found[1]}/${found[3]}=ALL-UNNAMED`,
    ]);
  },
});
