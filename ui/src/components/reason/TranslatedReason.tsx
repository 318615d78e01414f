import { i18n, type MessageDescriptor } from "@lingui/core";
import type { TranslatableText } from "../../protocol/generated";
import { VisibleText } from "../code/VisibleText";
import { reasonMessages } from "./reason_messages";

type Props = { reason: string; sentences: readonly TranslatableText[] };

/** The sentences in the user's language; in English where a later version has said one that isn't known here. */
export function TranslatedReason({ reason, sentences }: Props) {
  const translated = sentences.map(inWords);
  return <VisibleText text={translated.includes(null) ? reason : translated.join(" ")} />;
}

/** Null where it has a code that isn't known. */
function inWords(text: TranslatableText): string | null {
  if (typeof text === "string") return text;
  const message = reasonMessages[text.code];
  const values = Object.entries(text.values ?? {}).map(([place, value]) => [place, inWords(value)] as const);
  if (message === undefined || values.some(([, value]) => value === null)) return null;
  const filled: MessageDescriptor = { ...message, values: Object.fromEntries(values) };
  return i18n._(filled);
}
