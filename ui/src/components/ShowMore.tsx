/** What there is more of a text that nobody reads to its end. */
import { t } from "@lingui/core/macro";
import { Button } from "./Button";

type Props = { hidden: number; what: string; onMore: () => void };

export function ShowMore({ hidden, what, onMore }: Props) {
  return (
    <Button small look="quiet" className="show-more" onClick={onMore}>
      {t`Show more: ${hidden.toLocaleString("en")} ${what} are left`}
    </Button>
  );
}
