import { plural, t } from "@lingui/core/macro";
import { Archive, ArchiveRestore, Pin, PinOff } from "lucide-react";
import { shortTime } from "../../components/format";
import type { SessionLines, SessionSummary } from "../../protocol/generated";
import type { Marks } from "./Sessions";

type MarkProps = {
  session: SessionSummary;
  lines: SessionLines | null;
  title: string;
  onMark: (id: string, marks: Marks) => void;
};

/** What one sees of a row while one points at it; its menu does the same by keyboard. */
export function MarkButtons({ session, lines, title, onMark }: MarkProps) {
  const { sessionId, pinned, archived } = session;
  return (
    <span className="session-marks">
      {lines && <LineCount lines={lines} />}
      <span className="session-time small secondary" aria-hidden>
        {shortTime(session.updatedAt)}
      </span>
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

/** Exact where it is text; else how many files. */
function LineCount({ lines: { files, added, removed } }: { lines: SessionLines }) {
  return (
    <span className="session-lines small" aria-hidden>
      {added === null || removed === null ? (
        <span>{plural(files, { one: "# file", other: "# files" })}</span>
      ) : (
        <>
          {added > 0 && <span className="added">+{added}</span>}
          {removed > 0 && <span className="removed">−{removed}</span>}
        </>
      )}
    </span>
  );
}
