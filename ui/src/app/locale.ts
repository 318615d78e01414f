/**
 * The language of the window. The English words of the start come with the first chunk; those of every part that comes
 * later, and all other languages, are fetched when they are asked for.
 */
import { i18n, type Messages } from "@lingui/core";
import { fetchBeforeParts } from "../components/lazily";
import { messages as english } from "../locales/start/en.po";

type Catalogue = { messages: Messages };

const others = import.meta.glob<Catalogue>(["../locales/start/*.po", "!../locales/start/en.po"]);
const later = import.meta.glob<Catalogue>("../locales/later/*.po");

/** The first of the wanted languages that there is a catalogue for, by its tag or its language alone. */
export function localeOf(wanted: readonly string[], known: readonly string[]): string {
  for (const tag of wanted) {
    const found = known.find((one) => one === tag) ?? known.find((one) => one === tag.split("-")[0]);
    if (found !== undefined) return found;
  }
  return "en";
}

const startOf = (locale: string) => `../locales/start/${locale}.po`;
const laterOf = (locale: string) => `../locales/later/${locale}.po`;
const known = ["en", ...Object.keys(others).map((path) => path.replace(/^.*\/|\.po$/g, ""))];

/** Speaks English at once, so that nothing waits, and the user's language as soon as its catalogue has come. */
export function speak(wanted: readonly string[], onChange: () => void): void {
  i18n.loadAndActivate({ locale: "en", messages: english });
  const locale = localeOf(wanted, known);
  const start = others[startOf(locale)];
  const spoken = start?.().then(
    ({ messages }) => {
      i18n.load(locale, messages);
      i18n.activate(locale);
      onChange();
    },
    // Without its catalogue the window stays in English.
    () => undefined,
  );
  fetchBeforeParts(async () => {
    await spoken;
    const words = await (later[laterOf(i18n.locale)] ?? later[laterOf("en")])?.();
    if (words) i18n.load(i18n.locale, words.messages);
  });
}
