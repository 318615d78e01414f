/** The inspector's "Changes": what waits for a decision, then what was decided. Or one approval by itself. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Maximize2 } from "lucide-react";
import { type FocusEvent, Fragment, type RefObject, useEffect, useRef } from "react";
import { IconButton } from "../../components/IconButton";
import { useApprovalsIn, useOverview, useSessionPart, useSessions } from "../../platform/context";
import type { PendingApproval } from "../../protocol/approvals";
import { Decided } from "./Decided";
import { LookBar, useLook, useRoom } from "./look";
import { onChangesKey, PendingCard } from "./PendingCard";
import "./review.css";

type Props = {
  sessionId: string;
  /** Changes when the user asks to be taken to the decision; the first hunk then takes the focus. */
  focusRequest: number;
  /** Whether the diff has the main column. */
  reviewMode?: { isOn: boolean; toggle: () => void };
};

export function Changes({ sessionId, focusRequest, reviewMode }: Props) {
  const pending = useApprovalsIn(sessionId);
  const { decided } = useSessionPart(sessionId, (view) => view.decided);
  const written = useOverview(sessionId).overview?.changedFiles.length ?? 0;
  const { hasRoom, probe } = useRoom();
  const [look, toggleLook] = useLook(hasRoom);
  const root = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (focusRequest !== 0) focusDecision(root.current);
  }, [focusRequest]);

  const within = useFocusKept(root, pending[0]?.approvalId);

  if (pending.length === 0 && decided.length === 0) {
    if (written > 0) return null;
    return (
      <p className="empty secondary">
        {t`No changes yet. When Arki proposes an edit or a command, you decide on it here.`}
      </p>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: j and k, heard from the hunks inside
    <div className="changes" ref={root} onKeyDown={onChangesKey(root, toggleLook)} tabIndex={-1} {...within}>
      <LookBar
        probe={probe}
        look={look}
        hasRoom={hasRoom}
        hasDiff={[...pending, ...decided].some(({ preview }) => preview !== null)}
        onToggle={toggleLook}
        words={pending.length > 0 ? t`${pending.length} waiting for you` : t`Nothing waits`}
      >
        {reviewMode && (
          <IconButton
            label={t`Review mode`}
            command="review-mode"
            icon={Maximize2}
            aria-pressed={reviewMode.isOn}
            onClick={reviewMode.toggle}
          />
        )}
      </LookBar>
      {pending.map((approval) => (
        <Fragment key={approval.approvalId}>
          {approval.sessionId !== sessionId && approval.kind !== "gate" && (
            <Asking sessionId={approval.sessionId} />
          )}
          <PendingCard approval={approval} look={look} />
        </Fragment>
      ))}
      {decided.length > 0 && <h3 className="changes-title">{t`Decided`}</h3>}
      {decided.map((one) => (
        <Decided key={one.approvalId} decided={one} look={look} />
      ))}
    </div>
  );
}

/** Who asks, where it is not the agent of the session that is shown. */
function Asking({ sessionId }: { sessionId: string }) {
  const agent = useSessions().find((one) => one.sessionId === sessionId)?.agent;
  return (
    <h3 className="changes-title">
      <Trans>
        The sub-agent <b>{agent}</b> asks
      </Trans>
    </h3>
  );
}

/** Never a button: a stray Enter must not approve what has not been read. */
function focusDecision(root: HTMLElement | null): void {
  const find = (what: string) => root?.querySelector<HTMLElement>(what);
  (find(".approval .hunk.open") ?? find(".approval") ?? root)?.focus();
}

/**
 * When what has the focus goes, as a decided approval does, the focus goes on to the next, or waits here until there is
 * one: keys would reach nothing otherwise. `first`: the approval that is shown first.
 */
function useFocusKept(root: RefObject<HTMLElement | null>, first: string | undefined) {
  const inside = useRef(false);
  const before = useRef(first);
  useEffect(() => {
    if (before.current === first) return;
    before.current = first;
    const { activeElement } = document;
    if (inside.current && (activeElement === document.body || activeElement === root.current))
      focusDecision(root.current);
  }, [root, first]);
  return {
    onFocus: () => {
      inside.current = true;
    },
    onBlur: (event: FocusEvent) => {
      // An element that is taken away says nothing of where the focus goes.
      if (event.relatedTarget !== null) inside.current = root.current?.contains(event.relatedTarget) ?? false;
    },
  };
}

/** One approval by itself, with the look of its diff. `focusRequest`: as of `Changes`. */
export function OneReview({ approval, focusRequest }: { approval: PendingApproval; focusRequest: number }) {
  const { hasRoom, probe } = useRoom();
  const [look, toggleLook] = useLook(hasRoom);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focusRequest !== 0) focusDecision(root.current);
  }, [focusRequest]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: j and k, heard from the hunks inside
    <div className="changes" ref={root} onKeyDown={onChangesKey(root, toggleLook)} tabIndex={-1}>
      {approval.preview && <LookBar probe={probe} look={look} hasRoom={hasRoom} onToggle={toggleLook} />}
      <PendingCard approval={approval} look={look} />
    </div>
  );
}
