import { defineConfig } from "@lingui/cli";

/** The window's catalogues: English is written in the code, and `npm run messages -w ui` collects it. */
export default defineConfig({
  sourceLocale: "en",
  locales: ["en"],
  catalogs: [
    { path: "<rootDir>/src/locales/{locale}", include: ["src"], exclude: ["src/testing", "**/*.test.*"] },
  ],
});
