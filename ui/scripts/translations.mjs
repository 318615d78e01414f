/**
 * Whether what is said in another language is what English says: each message is translated, with the same placeholders
 * and elements, in all the plural forms of its language, and in one way, since a message is one and the same wherever it
 * stands.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatter } from "@lingui/format-po";
import { compileMessage } from "@lingui/message-utils/compileMessage";

const source = "en";
const parts = ["start", "later"];

/** In words, one for each fault. `folder` has the catalogues. */
export async function faultsOf(folder) {
  const names = readdirSync(join(folder, "start")).filter((name) => name.endsWith(".po"));
  const locales = names.map((name) => name.replace(".po", "")).filter((locale) => locale !== source);
  return (await Promise.all(locales.map((locale) => faultsIn(folder, locale)))).flat();
}

async function faultsIn(folder, locale) {
  const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
  const faults = [];
  const said = new Map();
  for (const part of parts) {
    const name = `${part}/${locale}.po`;
    const messages = await formatter().parse(readFileSync(join(folder, name), "utf8"), { locale });
    for (const [id, { message, translation }] of Object.entries(messages)) {
      const fault = faultOf(message, translation, said.get(id) ?? translation, forms);
      if (fault) faults.push(`src/locales/${name}: “${message}” ${fault}`);
      said.set(id, translation);
    }
  }
  return faults;
}

function faultOf(message, translation, elsewhere, forms) {
  if (translation === "") return "is not translated";
  if (translation !== elsewhere) return `is also translated as “${elsewhere}”: give one of them a context`;
  const [wanted, found] = [message, translation].map((text) => slotsIn(compileMessage(text)));
  if (wanted.join() !== found.join()) return `has ${list(wanted)}, its translation ${list(found)}`;
  const lacking = pluralsIn(compileMessage(translation)).flatMap((plural) =>
    forms.filter((form) => !(form in plural)),
  );
  return lacking.length > 0 && `lacks the plural form ${lacking.join(", ")}`;
}

const list = (slots) => slots.join(", ") || "no placeholder";

/** Each placeholder, with its kind, and each tag that a text needs. */
function slotsIn(tokens) {
  const found = tokens.flatMap((token) => {
    if (!Array.isArray(token)) return `${token}`.match(/<\/?\d+\/?>/g) ?? [];
    const [name, kind, forms] = token;
    const within = kind === "plural" ? Object.values(forms).flatMap((form) => slotsIn([form].flat())) : [];
    return [kind ? `{${name}, ${kind}}` : `{${name}}`, ...within];
  });
  return [...new Set(found)].sort();
}

function pluralsIn(tokens) {
  return tokens.flatMap((token) => (Array.isArray(token) && token[1] === "plural" ? [token[2]] : []));
}
