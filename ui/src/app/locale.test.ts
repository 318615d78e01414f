import { i18n } from "@lingui/core";
import { describe, expect, it } from "vitest";
import { fetchParts, lazily } from "../components/lazily";
import { messages as later } from "../locales/later/en.po";
import { messages } from "../locales/start/en.po";
import { localeOf, speak } from "./locale";

describe("the language of the window", () => {
  it("is the first of the wanted ones that there is a catalogue for", () => {
    expect(localeOf(["pt-BR", "de-AT", "en"], ["en", "de", "pt"])).toBe("pt");
    expect(localeOf(["pt-BR", "de"], ["en", "de", "pt-BR"])).toBe("pt-BR");
  });

  it("is English where nothing fits", () => {
    expect(localeOf(["fi"], ["en", "de"])).toBe("en");
    expect(localeOf([], ["en"])).toBe("en");
  });

  it("has the words of a part before the part is there, and only those of the start at the start", async () => {
    const known = () => Object.keys(later).every((id) => id in i18n.messages);
    await speak();
    expect(Object.keys(messages).every((id) => id in i18n.messages)).toBe(true);
    expect(known()).toBe(false);
    lazily(async () => () => null);
    await fetchParts();
    expect(known()).toBe(true);
  });

  it("has plurals and placeholders that the compiled catalogue fills in without `eval`", () => {
    const files = Object.values(messages).filter((message) => JSON.stringify(message).includes('"plural"'));
    expect(files.length).toBeGreaterThan(0);
    i18n.loadAndActivate({
      locale: "en",
      messages: { files: [["count", "plural", { one: ["#", " file"], other: ["#", " files"] }]] },
    });
    expect(i18n._("files", { count: 1 })).toBe("1 file");
    expect(i18n._("files", { count: 1200 })).toBe("1,200 files");
  });
});
