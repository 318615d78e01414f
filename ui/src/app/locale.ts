/** The language of the window. English comes with the first chunk; every other catalogue is fetched when it is asked for. */
import { i18n, type Messages } from "@lingui/core";
import { messages as english } from "../locales/en.po";

type Catalogue = { messages: Messages };

const others = import.meta.glob<Catalogue>(["../locales/*.po", "!../locales/en.po"]);

/** The first of the wanted languages that there is a catalogue for, by its tag or its language alone. */
export function localeOf(wanted: readonly string[], known: readonly string[]): string {
  for (const tag of wanted) {
    const found = known.find((one) => one === tag) ?? known.find((one) => one === tag.split("-")[0]);
    if (found !== undefined) return found;
  }
  return "en";
}

const fileOf = (locale: string) => `../locales/${locale}.po`;
const known = ["en", ...Object.keys(others).map((path) => path.replace(/^.*\/|\.po$/g, ""))];

/** Speaks English at once, so that nothing waits, and the user's language as soon as its catalogue has come. */
export function speak(wanted: readonly string[], onChange: () => void): void {
  i18n.loadAndActivate({ locale: "en", messages: english });
  const locale = localeOf(wanted, known);
  const fetchCatalogue = others[fileOf(locale)];
  if (!fetchCatalogue) return;
  void fetchCatalogue().then(
    ({ messages }) => {
      i18n.loadAndActivate({ locale, messages });
      onChange();
    },
    // Without its catalogue the window stays in English.
    () => undefined,
  );
}
