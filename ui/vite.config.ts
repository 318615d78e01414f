import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The production entry is index.html alone; dev.html (the window against a scripted fake) is served
// by `npm run dev` only and never built.
export default defineConfig({
  base: "./",
  plugins: [react()],
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
  test: {
    environment: "jsdom",
    setupFiles: ["src/testing/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    // The style sheets are read by tests; emptied ones would pass anything.
    css: true,
    // Two shared cores: a slow machine is no failure.
    testTimeout: 30_000,
  },
});
