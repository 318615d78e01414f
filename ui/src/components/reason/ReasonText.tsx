import { i18n } from "@lingui/core";
import type { TranslatableText } from "../../protocol/generated";
import { VisibleText } from "../code/VisibleText";
import { lazily } from "../lazily";

type Props = {
  /** In English, as the log has it. */
  reason: string;
  /** The same by codes; none where an earlier version decided. */
  sentences?: readonly TranslatableText[] | undefined;
};

const TranslatedReason = lazily(
  () => import("./TranslatedReason").then((part) => part.TranslatedReason),
  ({ reason }: Required<Props>) => <VisibleText text={reason} />,
);

/** Why something was asked, allowed or denied, in the user's language. */
export function ReasonText({ reason, sentences = [] }: Props) {
  if (i18n.locale === "en" || sentences.length === 0) return <VisibleText text={reason} />;
  return <TranslatedReason reason={reason} sentences={sentences} />;
}
