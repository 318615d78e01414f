/**
 * The language of the window. The English words of the start come with the first chunk; those of every part that comes
 * later, and all other languages, are fetched when they are asked for.
 */
import { i18n, type Messages } from "@lingui/core";
import { useSyncExternalStore } from "react";
import { directionOf } from "../components/direction";
import { fetchBeforeParts } from "../components/lazily";
import { recall, useRemembered } from "../components/remembered";
import { messages as english } from "../locales/start/en.po";

const others = import.meta.glob<{ messages: Messages }>(["../locales/*/*.po", "!../locales/start/en.po"]);
const startOf = (locale: string) => `../locales/start/${locale}.po`;
const laterOf = (locale: string) => `../locales/later/${locale}.po`;

/** The tags of the languages that there are catalogues for. */
export const locales: readonly string[] = [
  "en",
  ...Object.keys(others).flatMap((path) => path.match(/start\/(.*)\.po$/)?.[1] ?? []),
];

const languageOf = (tag: string) => tag.split("-")[0];

/** The first of the wanted languages that there is a catalogue for, by its tag or its language alone. */
export function localeOf(wanted: readonly string[], known: readonly string[]): string {
  for (const tag of wanted) {
    const found = known.find((one) => one === tag) ?? known.find((one) => one === languageOf(tag));
    if (found !== undefined) return found;
  }
  return "en";
}

/** "system" is every choice that is none of the languages. */
const chosenLocale = (choice: string | null) =>
  localeOf(locales.filter((one) => one === choice).concat(navigator.languages), locales);

/** Speaks the chosen language. Comes back once the first content can be drawn in it; without its catalogue, in English. */
export async function speak(): Promise<void> {
  activate("en", english);
  const locale = chosenLocale(recall(kept));
  const spoken = locale === "en" ? null : switchTo(locale, [startOf(locale)]);
  fetchBeforeParts(async () => {
    await spoken;
    i18n.load(i18n.locale, await wordsOf(laterOf(i18n.locale)));
  });
  await spoken;
}

const kept = "language";

/** What the user chose, and how to choose another one: the window speaks it as soon as its catalogues have come. */
export function useLanguage(): [string, (next: string) => void] {
  const [choice, setChoice] = useRemembered<string>(kept, "system", ["system", ...locales]);
  const choose = (next: string) => {
    setChoice(next);
    const locale = chosenLocale(next);
    void switchTo(locale, [startOf(locale), laterOf(locale)]);
  };
  return [choice, choose];
}

/** The language that is spoken: what shows it is drawn anew with another one. */
export function useLocale(): string {
  return useSyncExternalStore(onChange, () => i18n.locale);
}

const onChange = (listener: () => void) => i18n.on("change", listener);

let latest = 0;

/** Whoever chose last is spoken, also where an earlier one comes later. */
async function switchTo(locale: string, paths: readonly string[]): Promise<void> {
  latest += 1;
  const turn = latest;
  try {
    const words = await Promise.all(paths.map(wordsOf));
    if (turn === latest) activate(locale, Object.assign({}, ...words));
  } catch {
    // What can't be fetched can't be spoken: the window keeps its language.
  }
}

async function wordsOf(path: string): Promise<Messages> {
  return path === startOf("en") ? english : ((await others[path]?.())?.messages ?? {});
}

/** Numbers and dates are written as in the user's region, where that speaks the language. */
function activate(locale: string, messages: Messages): void {
  const regions = navigator.languages.filter((tag) => languageOf(tag) === languageOf(locale));
  i18n.load(locale, messages);
  i18n.activate(locale, [...regions, locale]);
  document.documentElement.lang = locale;
  document.documentElement.dir = directionOf(locale);
}
