import { fileURLToPath } from "node:url";
import { transformAsync } from "@babel/core";
import { lingui } from "@lingui/vite-plugin";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { FailedLast } from "./scripts/failed_last.ts";

/** Expands Lingui's macros, in the files that import them: everything else is left to Vite's own transformer. */
const macros: Plugin = {
  name: "lingui-macros",
  enforce: "pre",
  transform: {
    filter: { id: /\/src\/.*\.tsx?$/, code: /@lingui\/(core|react)\/macro/ },
    async handler(code, filename) {
      const done = await transformAsync(code, {
        filename,
        plugins: ["@lingui/babel-plugin-lingui-macro"],
        parserOpts: { plugins: ["typescript", "jsx"] },
        babelrc: false,
        configFile: false,
        sourceMaps: true,
      });
      return done?.code ? { code: done.code, map: done.map } : null;
    },
  },
};

// The production entry is index.html alone; dev.html (the window against a scripted fake) is served
// by `npm run dev` only and never built.
export default defineConfig({
  base: "./",
  plugins: [macros, react(), lingui({ failOnMissing: true, failOnCompileError: true })],
  resolve: {
    // Left out of Mermaid, and one KaTeX for it and for formulas (docs/decisions/0047).
    alias: {
      "elkjs/lib/elk.bundled.js": fileURLToPath(
        new URL("src/components/markdown/diagram/no_elk.ts", import.meta.url),
      ),
    },
    dedupe: ["katex"],
  },
  clearScreen: false,
  server: { port: 5173, strictPort: true, host: "127.0.0.1" },
  build: {
    outDir: "dist",
    target: "safari16.4",
    // Inlined assets would become data: fonts and scripts, which the window's CSP refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
  // Of more than one file: a language is read when its first code shows.
  worker: { format: "es" },
  test: {
    environment: "jsdom",
    setupFiles: ["src/testing/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    // The style sheets are read by tests; emptied ones would pass anything.
    css: true,
    // Two shared cores: a slow machine is no failure.
    testTimeout: 120_000,
    maxWorkers: "100%",
    reporters: ["default", new FailedLast()],
  },
});
