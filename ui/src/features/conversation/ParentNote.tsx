/** At the top of a sub-agent's session: whom it works for, and the way back there. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CornerLeftUp } from "lucide-react";
import { Button } from "../../components/Button";
import type { SessionSummary } from "../../protocol/generated";

type Props = { session: SessionSummary; parentTitle: string; onOpen: () => void };

export function ParentNote({ session, parentTitle, onOpen }: Props) {
  return (
    <div className="parent-note small">
      <p className="cut grow">
        <Trans>
          The sub-agent <b>{session.agent}</b>
          <span className="secondary"> works for “{parentTitle}”</span>
        </Trans>
      </p>
      <Button
        small
        look="quiet"
        title={t`Open parent session`}
        icon={<CornerLeftUp size={14} aria-hidden />}
        onClick={onOpen}
      >
        {t`Open parent session`}
      </Button>
    </div>
  );
}
