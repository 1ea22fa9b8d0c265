import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/**
 * One script, one style sheet, no inlined assets and no inline code, so that the page runs under the strictest
 * content security policy; relative addresses, so that it works below any path.
 */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  logLevel: "warn",
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        entryFileNames: "dashboard.js",
        chunkFileNames: "dashboard-[name].js",
        assetFileNames: "dashboard[extname]",
      },
    },
  },
});
