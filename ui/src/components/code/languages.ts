/** The languages that have colours, and how files and code blocks name them. */

export const languages = [
  "bash",
  "c",
  "cpp",
  "csharp",
  "css",
  "diff",
  "docker",
  "go",
  "html",
  "java",
  "javascript",
  "json",
  "jsonc",
  "jsx",
  "kotlin",
  "lua",
  "make",
  "markdown",
  "php",
  "python",
  "ruby",
  "rust",
  "sql",
  "swift",
  "toml",
  "tsx",
  "typescript",
  "xml",
  "yaml",
  "zig",
] as const;
export type Language = (typeof languages)[number];

const aliases: Record<string, Language> = {
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

const byName: Record<string, Language> = {
  ...aliases,
  ...Object.fromEntries(languages.map((language) => [language, language])),
};

/** By a path's ending, a file's whole name where it has none, or what stands at a fence. */
export function languageOf(name: string): Language | null {
  const last = (name.split(/[/\\]/).at(-1) ?? name).toLowerCase();
  const ending = last.includes(".") ? (last.split(".").at(-1) ?? "") : last;
  return Object.hasOwn(byName, ending) ? (byName[ending] ?? null) : null;
}
