/**
 * Syntax colours, loaded when the first code shows. The theme is CSS variables, so a change of theme needs no
 * new tokenising; the regular expressions run on the browser's own engine, so there is no WebAssembly.
 */
import type { HighlighterCore, LanguageRegistration } from "@shikijs/core";

export type Span = { text: string; color: string | null };
type Loader = () => Promise<{ default: LanguageRegistration[] }>;

/** Past this a file is shown plain: colours are not worth a stalled window. */
export const maxHighlightChars = 60_000;

const loaders: Record<string, Loader> = {
  bash: () => import("@shikijs/langs/bash"),
  c: () => import("@shikijs/langs/c"),
  cpp: () => import("@shikijs/langs/cpp"),
  csharp: () => import("@shikijs/langs/csharp"),
  css: () => import("@shikijs/langs/css"),
  diff: () => import("@shikijs/langs/diff"),
  docker: () => import("@shikijs/langs/docker"),
  go: () => import("@shikijs/langs/go"),
  html: () => import("@shikijs/langs/html"),
  java: () => import("@shikijs/langs/java"),
  javascript: () => import("@shikijs/langs/javascript"),
  json: () => import("@shikijs/langs/json"),
  jsonc: () => import("@shikijs/langs/jsonc"),
  jsx: () => import("@shikijs/langs/jsx"),
  kotlin: () => import("@shikijs/langs/kotlin"),
  lua: () => import("@shikijs/langs/lua"),
  make: () => import("@shikijs/langs/make"),
  markdown: () => import("@shikijs/langs/markdown"),
  php: () => import("@shikijs/langs/php"),
  python: () => import("@shikijs/langs/python"),
  ruby: () => import("@shikijs/langs/ruby"),
  rust: () => import("@shikijs/langs/rust"),
  sql: () => import("@shikijs/langs/sql"),
  swift: () => import("@shikijs/langs/swift"),
  toml: () => import("@shikijs/langs/toml"),
  tsx: () => import("@shikijs/langs/tsx"),
  typescript: () => import("@shikijs/langs/typescript"),
  xml: () => import("@shikijs/langs/xml"),
  yaml: () => import("@shikijs/langs/yaml"),
  zig: () => import("@shikijs/langs/zig"),
};

const aliases: Record<string, string> = {
  sh: "bash",
  zsh: "bash",
  shell: "bash",
  h: "c",
  cc: "cpp",
  cxx: "cpp",
  hpp: "cpp",
  hh: "cpp",
  cs: "csharp",
  patch: "diff",
  dockerfile: "docker",
  htm: "html",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  kt: "kotlin",
  makefile: "make",
  mk: "make",
  md: "markdown",
  py: "python",
  rb: "ruby",
  rs: "rust",
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  svg: "xml",
  yml: "yaml",
};

export function languageOf(name: string): string | null {
  const last = (name.split(/[/\\]/).at(-1) ?? name).toLowerCase();
  const ext = last.includes(".") ? (last.split(".").at(-1) ?? "") : last;
  const language = aliases[ext] ?? ext;
  return Object.hasOwn(loaders, language) ? language : null;
}

let highlighter: Promise<HighlighterCore> | null = null;
const loaded = new Map<string, Promise<void>>();

function start(): Promise<HighlighterCore> {
  highlighter ??= Promise.all([import("@shikijs/core"), import("@shikijs/engine-javascript")]).then(
    ([core, js]) =>
      core.createHighlighterCore({
        themes: [core.createCssVariablesTheme({ name: "arki", variablePrefix: "--code-" })],
        langs: [],
        engine: js.createJavaScriptRegexEngine({ forgiving: true }),
      }),
  );
  return highlighter;
}

/** One array of spans a line. Rejects only if a chunk of the app itself is missing. */
export async function highlight(code: string, language: string): Promise<Span[][]> {
  const shiki = await start();
  const load = loaders[language];
  if (!load || code.length > maxHighlightChars) return plain(code);
  let ready = loaded.get(language);
  if (!ready) {
    ready = load().then((module) => shiki.loadLanguage(...module.default));
    loaded.set(language, ready);
  }
  await ready;
  const lines = shiki.codeToTokensBase(code, { lang: language, theme: "arki" });
  return lines.map((line) => line.map((token) => ({ text: token.content, color: token.color ?? null })));
}

export function plain(code: string): Span[][] {
  return code.split("\n").map((text) => [{ text, color: null }]);
}
