/** Another language is whole, and is switched to while the window is open. What the engine and the model say stays theirs. */
import { i18n, type Messages } from "@lingui/core";
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { atLeast, bytes, cost, duration, exact, exactTime, tokens } from "../components/format";
import { fetchParts, lazily } from "../components/lazily";
import { recall, remember } from "../components/remembered";
import { showShortcut } from "../components/shortcuts";
import { dayWords } from "../features/usage/words";
import { messages as laterGerman } from "../locales/later/de.po";
import { messages as laterEnglish } from "../locales/later/en.po";
import { messages as startGerman } from "../locales/start/de.po";
import { messages as startEnglish } from "../locales/start/en.po";
import { renderOn } from "../testing/render";
import { scenes } from "../testing/scenes";
import { App } from "./App";
import { speak } from "./locale";

const english: Messages = { ...startEnglish, ...laterEnglish };
const german: Messages = { ...startGerman, ...laterGerman };

beforeEach(() => Object.assign(window, { innerWidth: 1440, innerHeight: 900 }));
afterEach(() => i18n.loadAndActivate({ locale: "en", messages: {} }));

type Token = string | [name: string, kind?: string, forms?: Record<string, string | Token[]>];
const tokensOf = (message: Messages[string] | undefined) => [message ?? []].flat() as Token[];

/** What a message may look like where it is drawn: an element in it begins another text. */
function looksOf(tokens: readonly Token[]): RegExp[] {
  const source = tokens.map(sourceOf).join("");
  const isTold = (text: string) => /\p{L}{3}/u.test(text.replaceAll(/\(\.\+\)|\\d/g, ""));
  return source
    .split(/<\/?\d+\/?>/)
    .map((text) => text.trim())
    .filter(isTold)
    .map((text) => new RegExp(`^${text}$`));
}

function sourceOf(token: Token): string {
  if (typeof token === "string") return token.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const [, kind, forms] = token;
  if (kind !== "plural" || !forms) return "(.+)";
  const { one = [], other = [] } = forms;
  const form = (of: string | Token[]) =>
    [of].flat().map((part) => (part === "#" ? "[\\d,.]+" : sourceOf(part as Token)));
  return `(?:${form(one).join("")}|${form(other).join("")})`;
}

/** Of the messages that are said otherwise in German, with words enough of their own to be told apart. */
const onlyEnglish = Object.keys(english)
  .filter((id) => JSON.stringify(english[id]) !== JSON.stringify(german[id]))
  .flatMap((id) => looksOf(tokensOf(english[id])));

/** What people wrote or the model says, and code; the name of a server. */
const notOurs = "code, pre, kbd, [dir=auto], .markdown, .choice [lang], #mcp-off b";

function englishShown(): string[] {
  const texts = [...document.body.querySelectorAll("*")].flatMap((element) => {
    if (element.closest(notOurs)) return [];
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const said = ["aria-label", "title", "placeholder"].map((name) => element.getAttribute(name) ?? "");
    return [own.map((node) => node.textContent).join(""), ...said];
  });
  const words = new Set(texts.map((text) => text.trim()).filter((text) => /\p{L}/u.test(text)));
  return [...words].filter((text) => onlyEnglish.some((look) => look.test(text)));
}

async function open(name: string, messages: Messages, locale = "de") {
  i18n.loadAndActivate({ locale, messages });
  const fake = scenes[name]?.();
  if (!fake) throw new Error(`no scene ${name}`);
  return renderOn(fake, <App />);
}
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole("button", { name }));
const tab = async (name: string | RegExp) => userEvent.click(await screen.findByRole("tab", { name }));

describe("the language of the window", () => {
  const radio = (name: string) => screen.getByRole<HTMLInputElement>("radio", { name });

  it("is the kept one from the first content on, with the words of the parts that come later", async () => {
    remember("language", "de");
    await speak();
    expect(i18n.locale).toBe("de");
    expect(Object.keys(startGerman).every((id) => id in i18n.messages)).toBe(true);
    lazily(async () => () => null);
    await fetchParts();
    expect(Object.keys(laterGerman).every((id) => id in i18n.messages)).toBe(true);
  });

  it("is switched to without losing what is written for a new session", async () => {
    await open("full", {}, "en");
    await press("New session");
    await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "Halfway");
    act(() => i18n.loadAndActivate({ locale: "de", messages: german }));
    const message = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Nachricht" });
    expect(message.value).toBe("Halfway");
    await userEvent.clear(message);
  });

  it("is chosen in the settings, spoken at once and kept, and nothing that is open closes", async () => {
    await open("full", {}, "en");
    await press("Rename the widget API");
    await press("Settings");
    await tab("Appearance");
    const language = within(screen.getByRole("group", { name: "Language" }));
    expect(language.getAllByRole<HTMLInputElement>("radio").map((one) => [one.value, one.checked])).toEqual([
      ["system", true],
      ["en", false],
      ["de", false],
    ]);
    await userEvent.click(radio("Deutsch"));
    expect(await screen.findByRole("dialog", { name: "Einstellungen" })).toBeTruthy();
    expect(screen.getByRole("tab", { name: "Darstellung", selected: true })).toBeTruthy();
    expect(radio("Deutsch").checked).toBe(true);
    expect(document.documentElement.lang).toBe("de");
    expect(document.documentElement.dir).toBe("ltr");
    expect(recall("language")).toBe("de");
    await press("Schließen");
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("Nachricht"));
    expect(await screen.findByRole("navigation", { name: "Sitzungen" })).toBeTruthy();
    expect(screen.getByRole("log", { name: "Verlauf" })).toBeTruthy();
    expect(englishShown()).toEqual([]);

    await press("Einstellungen");
    await tab("Darstellung");
    await userEvent.click(radio("English"));
    expect(await screen.findByRole("dialog", { name: "Settings" })).toBeTruthy();
    expect(document.documentElement.lang).toBe("en");
  });

  it("writes numbers, money, durations, days and keys", () => {
    i18n.loadAndActivate({ locale: "de", messages: german });
    expect([exact(1_234_567), tokens(18_200), duration(1500), bytes(1.5 * 1024 ** 2)]).toEqual([
      "1.234.567",
      "18,2k",
      "1,5 s",
      "1,5 MiB",
    ]);
    expect(
      [cost(0.07), cost(0.001), atLeast(cost(0.001))].map((one) => one.replaceAll("\u00a0", " ")),
    ).toEqual(["0,07 $", "< 0,01 $", "> 0,00 $"]);
    expect(exactTime(new Date(2026, 10, 26, 9, 5, 7).getTime())).toBe("26.11.2026, 09:05:07");
    expect(dayWords("2026-11-26", true)).toBe("Do., 26. November 2026");
    expect(showShortcut("Mod+Shift+Enter")).toBe("Strg+Umschalt+Eingabe");
  });
});

describe("the window in German", () => {
  it("would be found out by its English words", async () => {
    await open("full", english, "en");
    expect(englishShown()).toContain("New session");
    expect(englishShown().length).toBeGreaterThan(20);
  });

  it("has no English word in the session list, the conversation, the review and the inspector", async () => {
    await open("full", german);
    for (const session of ["Rename the widget API", /^Fix CI/, "Translate the error messages"]) {
      await press(session);
      await screen.findByRole("log", { name: "Verlauf" });
      expect(englishShown()).toEqual([]);
    }
    await press("Rename the widget API");
    expect(await screen.findByRole("button", { name: "Alle annehmen" })).toBeTruthy();
    for (const name of ["Zeitachse", "Plan", "Kontext", "Prozesse"]) {
      await tab(name);
      expect(englishShown()).toEqual([]);
    }
  });

  it("has no English word in the settings", async () => {
    await open("full", german);
    await press("Einstellungen");
    const dialog = await screen.findByRole("dialog", { name: "Einstellungen" });
    for (const one of within(dialog).getAllByRole("tab")) {
      await userEvent.click(one);
      expect(englishShown()).toEqual([]);
    }
  });

  it("has no English word in the palette, the inbox, the keyboard map, the session's settings and the usage", async () => {
    await open("history", german);
    await press("Release notes for 2.5");
    for (const [keys, role, name] of [
      ["{Control>}k{/Control}", "dialog", "Befehlspalette"],
      ["{Control>}{Shift>}j{/Shift}{/Control}", "region", "Eingang"],
      ["{Control>},{/Control}", "dialog", "Einstellungen"],
      ["{Control>}{Shift>}S{/Shift}{/Control}", "dialog", "Sitzungseinstellungen"],
    ] as const) {
      await userEvent.keyboard(keys);
      await screen.findByRole(role, { name });
      expect(englishShown()).toEqual([]);
      await userEvent.keyboard("{Escape}");
      await waitFor(() => expect(screen.queryByRole(role, { name })).toBeNull());
    }
    for (const [title, role, name] of [
      ["Tastenübersicht", "dialog", "Tastatur"],
      ["Verbrauch: Kosten und Token", "region", "Verbrauch"],
    ] as const) {
      await userEvent.keyboard("{Control>}k{/Control}");
      await userEvent.click(await screen.findByText(title));
      await screen.findByRole(role, { name });
      expect(englishShown()).toEqual([]);
      await userEvent.keyboard("{Escape}");
    }
  });

  it("has no English word in the pipelines", async () => {
    await open("pipelines", german);
    await press("Pipelines");
    const place = within(await screen.findByRole("region", { name: "Pipelines" }));
    await press(/^broken/);
    for (const one of place.getAllByRole("tab")) {
      await userEvent.click(one);
      expect(englishShown()).toEqual([]);
    }
    await press("Zeitplan hinzufügen");
    expect(englishShown()).toEqual([]);
    await tab("Läufe");
    await userEvent.click(screen.getAllByRole("button", { name: "release" })[0] as HTMLElement);
    await screen.findByRole("list", { name: "Schritte" });
    for (const step of ["tests", "notes", "publish"]) {
      await press(step);
      expect(englishShown()).toEqual([]);
    }
  });

  it.each(["welcome", "trust", "changed", "question", "states", "history", "delegation", "context", "empty"])(
    "has no English word in the scene %s",
    async (name) => {
      await open(name, german);
      expect(englishShown()).toEqual([]);
      const listed = [...document.querySelectorAll<HTMLElement>(".session")].map((button) => button.title);
      for (const title of listed) {
        await userEvent.click(screen.getAllByTitle(title)[0] as Element);
        await screen.findByRole("log", { name: "Verlauf" });
        expect([title, ...englishShown()]).toEqual([title]);
      }
    },
  );
});
