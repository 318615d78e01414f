import { t } from "@lingui/core/macro";
import { Button } from "../components/Button";
import { ErrorNote } from "../components/ErrorNote";
import type { History } from "./history";

/** What came of exporting, importing, forking or deleting. */
export function HistorySaid({ history: { said, hush } }: { history: History }) {
  return (
    <>
      <div role="status">
        {said.words !== null && (
          <p className="foot-note main-note">
            <span className="grow">{said.words}</span>
            <Button small look="quiet" onClick={hush}>
              {t`Dismiss`}
            </Button>
          </p>
        )}
      </div>
      {said.error && (
        <div className="conversation-error">
          <ErrorNote error={said.error}>
            <Button small look="quiet" onClick={hush}>
              {t`Dismiss`}
            </Button>
          </ErrorNote>
        </div>
      )}
    </>
  );
}
