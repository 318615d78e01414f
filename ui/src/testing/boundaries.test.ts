/** The folders are the architecture: who may import whom, and where colours and pixels may be named. */
import { describe, expect, it } from "vitest";

const sources = Object.fromEntries(
  Object.entries(
    import.meta.glob<string>("../**/*.{ts,tsx,css}", { query: "?raw", import: "default", eager: true }),
  ).map(([path, text]) => [path.startsWith("../") ? path.slice(3) : path.replace("./", "testing/"), text]),
);
const files = Object.keys(sources);
const modules = files.filter((path) => /\.tsx?$/.test(path));
const isTest = (path: string) => path.startsWith("testing/") || path.includes(".test.");

type Import = { from: string; what: string };

function importsOf(from: string): Import[] {
  const found = [...(sources[from] ?? "").matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)];
  return found.map((match) => ({ from, what: resolve(from, match[1] ?? "") }));
}

function resolve(from: string, what: string): string {
  return what.startsWith(".") ? new URL(what, `file:///${from}`).pathname.slice(1) : what;
}

const imports = modules.filter((path) => !isTest(path)).flatMap(importsOf);
const folder = (path: string) => path.split("/").slice(0, 2).join("/");
const words = (list: Import[]) => list.map(({ from, what }) => `${from} imports ${what}`);

describe("imports", () => {
  it("are found at all", () => {
    expect(words(imports)).toContain("features/review/Changes.tsx imports platform/context");
  });

  it("of Tauri are in platform/tauri alone", () => {
    const tauri = imports.filter(({ what }) => what.startsWith("@tauri-apps/"));
    expect(tauri.length).toBeGreaterThan(0);
    expect(words(tauri.filter(({ from }) => !from.startsWith("platform/tauri/")))).toEqual([]);
  });

  it("of a feature stay in it, in components, platform and protocol", () => {
    const allowed = /^(components|platform|protocol)(\/|$)/;
    const wrong = imports.filter(
      ({ from, what }) =>
        from.startsWith("features/") &&
        /^(app|features|testing|main|styles|platform\/tauri)/.test(what) &&
        folder(what) !== folder(from) &&
        !allowed.test(what.replace(/^platform\/tauri.*/, "tauri")),
    );
    expect(words(wrong)).toEqual([]);
  });

  it("of components, platform and protocol never lead up", () => {
    const lower = /^(components|platform|protocol)\//;
    expect(
      words(imports.filter(({ from, what }) => lower.test(from) && /^(app|features|testing)\//.test(what))),
    ).toEqual([]);
  });

  it("of the protocol lead nowhere else: its folds are pure", () => {
    const out = imports.filter(
      ({ from, what }) => from.startsWith("protocol/") && !what.startsWith("protocol/"),
    );
    expect(words(out)).toEqual([]);
  });

  it("of the scripted engine are in no shipped module", () => {
    expect(words(imports.filter(({ what }) => what.startsWith("testing")))).toEqual([]);
  });
});

describe("style sheets", () => {
  const tokens = ["styles/tokens.css", "styles/high_contrast.css"];
  const sheets = files.filter((path) => path.endsWith(".css") && !tokens.includes(path));

  it.each(sheets)("%s names no colour and no pixel", (path) => {
    const text = (sources[path] ?? "").replace(/\/\*.*?\*\//gs, "");
    expect(text.match(/\d(px|rem)\b|#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch|oklab)a?\(/gi) ?? []).toEqual([]);
  });

  it("are read at all", () => {
    expect(sheets.map((path) => sources[path]?.length ?? 0).filter((length) => length === 0)).toEqual([]);
  });

  it("name only tokens that exist", () => {
    const all = files
      .filter((path) => path.endsWith(".css"))
      .map((path) => sources[path] ?? "")
      .join("\n");
    const named = new Set([...all.matchAll(/(--[\w-]+)\s*:/g)].map((match) => match[1]));
    const used = [...all.matchAll(/var\((--[\w-]+)/g)].map((match) => match[1]);
    expect(used.filter((token) => !named.has(token) && token !== "--digits")).toEqual([]);
  });

  it("never animate without end", () => {
    const all = sheets.map((path) => sources[path] ?? "").join("\n");
    expect(all).not.toMatch(/infinite|@keyframes/);
  });
});
