import { fileURLToPath } from "node:url";
import { defineConfig } from "@lingui/cli";
import { formatter } from "@lingui/format-po";
import { startFiles } from "./scripts/start_files.mjs";

/** English is written in the code; `npm run messages -w ui` collects it. The lint sets the folder, to compare. */
const folder = process.env.ARKI_MESSAGES ?? "<rootDir>/src/locales";
/** Their words are read before the first content; all others come with the parts that have them (`app/locale`). */
const start = startFiles(fileURLToPath(new URL(".", import.meta.url))).map((path) => `<rootDir>/${path}`);
const noWords = ["**/*.test.*", "**/testing/**"];

export default defineConfig({
  sourceLocale: "en",
  locales: ["en", "de"],
  catalogs: [
    { path: `${folder}/start/{locale}`, include: start, exclude: noWords },
    { path: `${folder}/later/{locale}`, include: ["<rootDir>/src"], exclude: [...noWords, ...start] },
  ],
  // Numbers of lines would change with every edit.
  format: formatter({ lineNumbers: false }),
});
