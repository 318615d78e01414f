/** At the top of a sub-agent's session: whom it works for, and the way back there. */
import { CornerLeftUp } from "lucide-react";
import { Button } from "../../components/Button";
import type { SessionSummary } from "../../protocol/generated";

type Props = { session: SessionSummary; parentTitle: string; onOpen: () => void };

export function ParentNote({ session, parentTitle, onOpen }: Props) {
  return (
    <div className="parent-note small">
      <p className="cut grow">
        The sub-agent <b>{session.agent}</b>
        <span className="secondary"> works for “{parentTitle}”</span>
      </p>
      <Button
        small
        look="quiet"
        title="Open parent session"
        icon={<CornerLeftUp size={14} aria-hidden />}
        onClick={onOpen}
      >
        Open parent session
      </Button>
    </div>
  );
}
