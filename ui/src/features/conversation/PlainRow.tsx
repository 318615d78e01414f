/** A row that can't be drawn, as the plain text it is made of. */
import { t } from "@lingui/core/macro";
import { Button } from "../../components/Button";
import { copyText } from "../../components/copy";
import { LongText } from "../../components/LongText";
import type { Row } from "./rows";

export function PlainRow({ row }: { row: Row }) {
  const text = textOf(row);
  return (
    <>
      <LongText className="user-text" text={text} />
      <Button small look="quiet" onClick={() => copyText(text)}>
        {t`Copy text`}
      </Button>
    </>
  );
}

/** A message's own words; of anything else all that is known about it. */
export function textOf({ item, told }: Row): string {
  if (item.kind === "user") return item.text;
  if (item.kind === "assistant") return told?.text.whole() || item.text;
  return JSON.stringify(item, null, 2);
}
