/** What there is more of a text that nobody reads to its end. */
import { t } from "@lingui/core/macro";
import { Button } from "./Button";
import { exact } from "./format";

type Props = { hidden: number; what: "characters" | "rows"; onMore: () => void };

export function ShowMore({ hidden, what, onMore }: Props) {
  return (
    <Button small look="quiet" className="show-more" onClick={onMore}>
      {what === "rows"
        ? t`Show more: ${exact(hidden)} rows are left`
        : t`Show more: ${exact(hidden)} characters are left`}
    </Button>
  );
}
