import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["src/**/*.test.ts"], testTimeout: 30_000 } },
      { test: { name: "dashboard", include: ["dashboard/src/**/*.test.ts"], testTimeout: 30_000 } },
      {
        test: {
          name: "cross",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/systems/**"],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: "systems",
          include: ["test/systems/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 600_000,
        },
      },
    ],
  },
});
