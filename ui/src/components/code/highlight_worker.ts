/**
 * Finds syntax colours, on a thread of its own: the first code of a language alone takes as long as several frames. The
 * theme is CSS variables, so a change of theme needs no new look at the code; the regular expressions run on the
 * browser's own engine, so there is no WebAssembly.
 */
import { createCssVariablesTheme, createHighlighterCore, type LanguageRegistration } from "@shikijs/core";
import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import type { Answer, Asked, Span } from "./highlight";
import type { Language } from "./languages";

type Loader = () => Promise<{ default: LanguageRegistration[] }>;

const loaders: Record<Language, Loader> = {
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

const highlighter = createHighlighterCore({
  themes: [createCssVariablesTheme({ name: "arki", variablePrefix: "--code-" })],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});
const loaded = new Map<Language, Promise<void>>();

async function load(language: Language): Promise<void> {
  const [shiki, module] = await Promise.all([highlighter, loaders[language]()]);
  await shiki.loadLanguage(...module.default);
}

async function coloured({ code, language }: Asked): Promise<Span[][]> {
  const ready = loaded.get(language) ?? load(language);
  loaded.set(language, ready);
  await ready.catch((failed: unknown) => {
    loaded.delete(language);
    throw failed;
  });
  const lines = (await highlighter).codeToTokensBase(code, { lang: language, theme: "arki" });
  return lines.map((line) => line.map((token) => ({ text: token.content, color: token.color ?? null })));
}

const answer = (message: Answer) => postMessage(message);

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  const { number } = data;
  coloured(data).then(
    (lines) => answer({ number, lines }),
    () => answer({ number, lines: null }),
  );
});
