import { t } from "@lingui/core/macro";
import { Archive, ArchiveRestore, Pin, PinOff } from "lucide-react";
import type { SessionSummary } from "../../protocol/generated";
import type { Marks } from "./Sessions";

type MarkProps = { session: SessionSummary; title: string; onMark: (id: string, marks: Marks) => void };

/** By pointer; the session's menu and the palette do the same by keyboard. */
export function MarkButtons({ session: { sessionId, pinned, archived }, title, onMark }: MarkProps) {
  return (
    <span className="session-marks">
      <button
        type="button"
        className="button quiet icon small"
        tabIndex={-1}
        aria-label={pinned ? t`Unpin ${title}` : t`Pin ${title}`}
        title={pinned ? t`Unpin` : t`Pin`}
        onClick={() => onMark(sessionId, { pinned: !pinned, archived: null })}
      >
        {pinned ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />}
      </button>
      <button
        type="button"
        className="button quiet icon small"
        tabIndex={-1}
        aria-label={archived ? t`Bring back ${title}` : t`Archive ${title}`}
        title={archived ? t`Bring back` : t`Archive`}
        onClick={() => onMark(sessionId, { pinned: null, archived: !archived })}
      >
        {archived ? <ArchiveRestore size={14} aria-hidden /> : <Archive size={14} aria-hidden />}
      </button>
    </span>
  );
}
