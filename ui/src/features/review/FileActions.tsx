import { t } from "@lingui/core/macro";
import { Button } from "../../components/Button";
import type { ReviewActions } from "./useReview";

type Props = { left: readonly number[]; actions: ReviewActions };

/** Decides all hunks that are left of a file. */
export function FileActions({ left, actions }: Props) {
  return (
    <>
      <Button small look="quiet" onClick={() => actions.decide(left, "accepted")}>
        {t`Accept file`}
      </Button>
      <Button small look="quiet" onClick={() => actions.decide(left, "rejected")}>
        {t`Reject file`}
      </Button>
    </>
  );
}
