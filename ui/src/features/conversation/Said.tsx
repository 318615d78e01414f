/** The transcript of one session, with what can be done about its rows. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CornerLeftUp } from "lucide-react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { useLatest } from "../../components/latest";
import { useArki, useFolder, useOverview, useSessionView } from "../../platform/context";
import type { SessionSummary, Shown } from "../../protocol/generated";
import { nothingLive } from "../../protocol/live";
import { isActive } from "../../protocol/sessions";
import type { HistoryActions } from "./MessageActions";
import { type Found, itemAt, openQuestion, type Place } from "./place";
import type { RowActions } from "./RowView";
import { foldedIn, rowsOf, standingOf } from "./rows";
import { Transcript } from "./Transcript";

type Passed = "onLink" | "onReview" | "onSettings" | "onKey" | "onTrust" | "onOpenSession";

export type SaidProps = HistoryActions &
  Pick<RowActions, Passed> & {
    shown: Shown;
    sessionId: string;
    session: SessionSummary | null;
    /** An event to be shown. */
    place: Place | null;
    onResume: () => void;
    /** The user has answered a question: it no longer has the focus. */
    onAnswered: () => void;
  };

export function Said(props: SaidProps) {
  const { sessionId, session } = props;
  const arki = useArki();
  const view = useSessionView(sessionId);
  const { overview } = useOverview(sessionId);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const found = useFoundRow(sessionId, props.place);
  const atEnd = !view.window.hasNewer;
  const isPast = view.replay !== null;
  const broken = overview?.brokenAt ?? null;
  const idle = session === null || !isActive(session.state);
  const untrusted = useFolder(props.shown.folder)?.trust !== "trusted";
  const rows = useMemo(() => {
    const folded = found ? foldedIn(view.transcript.items, found.key) : [];
    return rowsOf({
      transcript: view.transcript,
      live: isPast ? nothingLive : view.live,
      atEnd,
      standing: isPast ? null : standingOf(session?.state ?? null, view.transcript),
      unfolded: new Set([...unfolded, ...folded]),
      idle,
      untrusted,
    });
  }, [view.transcript, view.live, isPast, atEnd, session?.state, unfolded, found, idle, untrusted]);
  const toggle = useCallback(
    (key: string) =>
      setUnfolded((now) => new Set(now.has(key) ? [...now].filter((one) => one !== key) : [...now, key])),
    [],
  );
  const actions = useRowActions(props, broken !== null || isPast, toggle);
  return (
    <>
      {session?.parent && (
        <ParentNote
          session={session}
          parentTitle={actions.titleOf(session.parent)}
          onOpen={() => session.parent && props.onOpenSession(session.parent, null)}
        />
      )}
      {broken !== null && <Broken at={broken} />}
      {view.error && (
        <div className="conversation-error">
          <ErrorNote error={view.error}>
            <Button small onClick={() => arki.session(sessionId).load()}>
              {t`Load again`}
            </Button>
          </ErrorNote>
        </div>
      )}
      {view.status === "loading" ? (
        <p className="empty secondary">{t`Loading…`}</p>
      ) : (
        <Transcript view={view} rows={rows} actions={actions} found={found} />
      )}
    </>
  );
}

/** They stay the same while a session goes on: whatever gets others is drawn anew, a long answer as a whole. */
function useRowActions(props: SaidProps, readOnly: boolean, onToggle: (key: string) => void): RowActions {
  const arki = useArki();
  const origin = useOverview(props.sessionId).overview?.origin ?? null;
  const [originId, originTitle] = [origin?.sessionId, origin?.title];
  const latest = useLatest(props);
  const agent = props.session?.parent ? props.session.agent : "Arki";
  const { sessionId } = props;
  return useMemo(
    () => ({
      sessionId,
      onLink: (...asked) => latest.current.onLink(...asked),
      onReview: () => latest.current.onReview(),
      onSettings: () => latest.current.onSettings(),
      onKey: (provider) => latest.current.onKey(provider),
      onTrust: () => latest.current.onTrust(),
      onResume: readOnly ? null : () => latest.current.onResume(),
      onAnswer: readOnly
        ? null
        : async (questionId, text) => {
            const { sessionId } = latest.current;
            await arki.platform.call("answer_question", { sessionId, questionId, text });
            latest.current.onAnswered();
          },
      readOnly,
      onToggle,
      onRewind: (...asked) => latest.current.onRewind(...asked),
      onEdit: (...asked) => latest.current.onEdit(...asked),
      onFork: (...asked) => latest.current.onFork(...asked),
      onQuote: (...asked) => latest.current.onQuote(...asked),
      onOpenSession: (...asked) => latest.current.onOpenSession(...asked),
      onShow: (seq) => latest.current.onOpenSession(latest.current.sessionId, seq),
      leftOutBy: async (seq) => {
        const { compactions } = await arki.platform.call("next_request", { of: latest.current.shown });
        return compactions.find((one) => one.seq === seq) ?? null;
      },
      pictureOf: (contentHash) =>
        arki.platform.call("sent_picture", { sessionId: latest.current.sessionId, contentHash }),
      // The origin of a fork may be older than what the list holds.
      titleOf: (id) =>
        arki.sessions.get().find((one) => one.sessionId === id)?.title ||
        (originId === id && originTitle) ||
        t`another session`,
      agent,
    }),
    [arki, sessionId, latest, readOnly, onToggle, originId, originTitle, agent],
  );
}

/** Loads what is around the place, and says which row it is once it is there. */
function useFoundRow(sessionId: string, place: Place | null): Found | null {
  const arki = useArki();
  const { window, transcript } = useSessionView(sessionId);
  const here = place?.sessionId === sessionId ? place : null;
  const seq = here?.seq ?? null;
  const at = here?.at ?? 0;
  const atEnd = seq === null;
  const words = here?.words ?? null;
  useEffect(() => {
    const session = arki.session(sessionId);
    if (at === 0) return;
    if (seq !== null) void session.loadAround(seq);
    else if (session.view.get().window.hasNewer) void session.load();
  }, [arki, sessionId, seq, at]);
  const item = seq === null ? openQuestion(transcript) : itemAt(window.events, transcript, seq);
  const key = here === null ? null : (item?.key ?? null);
  return useMemo(() => (key === null ? null : { key, at, atEnd, words }), [key, at, atEnd, words]);
}

type NoteProps = { session: SessionSummary; parentTitle: string; onOpen: () => void };

/** At the top of a sub-agent's session: whom it works for, and the way back there. */
function ParentNote({ session, parentTitle, onOpen }: NoteProps) {
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

function Broken({ at }: { at: number }) {
  return (
    <div className="banner" role="alert">
      <span aria-hidden>✕</span>
      <p>
        <Trans>
          This session's log is damaged from event {at} on.{" "}
          <span className="secondary">
            You can still read it. Start a new session to continue, or export this one to keep a copy.
          </span>
        </Trans>
      </p>
    </div>
  );
}
