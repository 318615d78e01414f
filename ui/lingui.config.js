import { defineConfig } from "@lingui/cli";
import { formatter } from "@lingui/format-po";

/** English is written in the code; `npm run messages -w ui` collects it. The lint sets the folder, to compare. */
const folder = process.env.ARKI_MESSAGES ?? "<rootDir>/src/locales";

export default defineConfig({
  sourceLocale: "en",
  locales: ["en"],
  catalogs: [
    { path: `${folder}/{locale}`, include: ["<rootDir>/src"], exclude: ["**/*.test.*", "**/testing/**"] },
  ],
  // Numbers of lines would change with every edit.
  format: formatter({ lineNumbers: false }),
});
