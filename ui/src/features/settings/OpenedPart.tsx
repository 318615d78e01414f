import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { Button } from "../../components/Button";

type Props = { children: ReactNode; actions: ReactNode; onClose: () => void };

/** What was opened below an entry of a list: something to look at, then what can be done about it or closing it. */
export function OpenedPart({ children, actions, onClose }: Props) {
  return (
    <div className="opened-part">
      {children}
      <div className="error-actions">
        {actions}
        <Button small look="quiet" onClick={onClose}>
          {t`Close`}
        </Button>
      </div>
    </div>
  );
}
