/**
 * `npm run lint`: every string that people read is in the catalogues. Fails where a string in the code is not given to
 * Lingui, where one is made before a language is chosen, where a catalogue is not what the code says, and where a
 * translation is missing or says something else.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, traverse } from "@babel/core";
import { faultsOf } from "./translations.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const catalogues = join(root, "src/locales");

/** Not shown: the protocol has no words, and markdown shows what it is given. */
const leftOut = /\.test\.tsx?$|^src\/(testing|protocol|locales)\//;
/** A word with a capital, or several words. Names of keys, events and files are neither. */
const readsAsWords = /^\P{L}*\p{Lu}\p{Ll}|\p{Ll}\p{P}* \p{L}/u;
const key =
  /(Mod|Ctrl|Alt|Shift|Meta|Enter|Escape|Delete|Home|End|Tab|Plus|Space|Backspace|Page(Up|Down)|Arrow\w+|F\d+|\P{Ll})/u
    .source;
const keys = new RegExp(`^${key}([+ ]${key})*$`, "u");
const tags = new Set(["t", "msg", "plural", "select", "selectOrdinal"]);
/** Names that are the same in every language, and words of the program's own: git's headers, selectors, classes. */
const notTranslated = new Set([
  "Arki",
  "Claude Code",
  "Codex",
  // The kind of what is dragged, as browsers name it.
  "Files",
  "Markdown",
  "accept all",
  "line added",
  "line removed",
]);
const ofFormats = /^((rename|copy) (from|to)|(old|new) mode|input, select, textarea|…*Arki)$/;
/** What they are given is for the program, or for who writes it. */
const forTheProgram =
  /^(querySelector|querySelectorAll|matches|closest|matchMedia|Error|test|startsWith|split|join|includes|getItem|getModifierState|setItem)$/;

const problems = [];

function look(path) {
  const tree = parseSync(readFileSync(join(root, path), "utf8"), {
    filename: path,
    babelrc: false,
    configFile: false,
    parserOpts: { plugins: ["typescript", "jsx"] },
  });
  const say = (node, what) => problems.push(`${path}:${node.loc.start.line}: ${what}`);
  const literal = (at, text) => {
    if (notTranslated.has(text.trim()) || ofFormats.test(text.trim()) || keys.test(text)) return;
    if (readsAsWords.test(text) && !isForTheProgram(at)) say(at.node, `not given to Lingui: ${text.trim()}`);
  };
  traverse(tree, {
    StringLiteral: (at) => literal(at, at.node.value),
    TemplateLiteral: (at) => literal(at, at.node.quasis.map((part) => part.value.cooked).join("…")),
    JSXText: (at) => {
      if (/\p{L}{2}/u.test(at.node.value) && !isGiven(at))
        say(at.node, `not given to Lingui: ${at.node.value.trim()}`);
    },
    TaggedTemplateExpression: (at) => {
      if (at.node.tag.name === "t" && !at.getFunctionParent())
        say(at.node, "made while the module loads, when no language is chosen yet: make it in a function");
    },
  });
}

function isGiven(at) {
  const { node, parent } = at;
  if (at.isJSXText()) return at.findParent(({ node }) => node.openingElement?.name.name === "Trans") !== null;
  if (parent.type === "TaggedTemplateExpression") return tags.has(parent.tag.name);
  if (parent.type === "JSXAttribute") return at.parentPath.parent.name.name === "Plural";
  const ofPlural =
    parent.type === "ObjectProperty" && parent.value === node && at.parentPath.parentPath.parent;
  return ofPlural && tags.has(ofPlural.callee?.name);
}

function isForTheProgram(at) {
  const { node, parent } = at;
  if (isGiven(at)) return true;
  if (/^(Import|Export|TS)/.test(parent.type) || parent.type === "BinaryExpression") return true;
  if (parent.type === "ObjectProperty" && parent.key === node && !parent.computed) return true;
  const attribute = at.findParent((one) => one.isJSXAttribute());
  if (attribute && /^(className|style|key|id|pattern)$/.test(attribute.node.name.name)) return true;
  const call = at.findParent((one) => one.isCallExpression() || one.isNewExpression());
  const callee = call?.node.callee;
  if (callee?.type === "Import") return true;
  return forTheProgram.test(callee?.property?.name ?? callee?.name ?? "");
}

/** Extracts into a copy: a check never touches the work tree. */
function staleCatalogues() {
  const copy = mkdtempSync(join(tmpdir(), "arki-messages-"));
  try {
    cpSync(catalogues, copy, { recursive: true });
    extractInto(copy);
    const files = readdirSync(copy, { recursive: true }).filter((name) => name.endsWith(".po"));
    return files.filter(
      (name) => readFileSync(join(copy, name), "utf8") !== readFileSync(join(catalogues, name), "utf8"),
    );
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function extractInto(folder) {
  const lingui = join(root, "../node_modules/.bin/lingui");
  execFileSync(lingui, ["extract", "--clean", "--workers=1"], {
    cwd: root,
    env: { ...process.env, ARKI_MESSAGES: folder },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

for (const file of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
  const path = relative(root, join(file.parentPath, file.name)).replaceAll("\\", "/");
  if (/\.tsx?$/.test(path) && !leftOut.test(path)) look(path);
}
for (const name of staleCatalogues())
  problems.push(`src/locales/${name}: not what the code says; \`npm run messages -w ui\` writes it`);
problems.push(...(await faultsOf(catalogues)));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log("Every string is in the catalogues.");
