import { expect, test } from "vitest";

import { causesReference } from "./causes-reference.ts";

test("the pages on causes are fresh", async () => {
  await expect(causesReference("en")).toMatchFileSnapshot("../../../docs/reference/causes.md");
  await expect(causesReference("zh")).toMatchFileSnapshot("../../../docs/reference/causes.zh.md");
});
