/** The inspector's "Changes": what waits for a decision, then what was decided. */

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Maximize2 } from "lucide-react";
import { type FocusEvent, Fragment, type KeyboardEvent, type RefObject, useEffect, useRef } from "react";
import { IconButton } from "../../components/IconButton";
import { lazily } from "../../components/lazily";
import { composes, inTextField } from "../../components/shortcuts";
import { useApprovalsIn, useOverview, useSessionPart, useSessions } from "../../platform/context";
import { CommandApproval } from "./CommandApproval";
import { Decided } from "./Decided";
import { moveFocus } from "./keys";
import { LargeApproval } from "./LargeApproval";
import { LookButtons, lookKey, useLook, useRoom } from "./look";
import { WriteApproval } from "./WriteApproval";
import "./review.css";

const GateApproval = lazily(() => import("./GateApproval").then((part) => part.GateApproval));
const PlanApproval = lazily(() => import("./PlanApproval").then((part) => part.PlanApproval));

type Props = {
  sessionId: string;
  /** Changes when the user asks to be taken to the decision; the first hunk then takes the focus. */
  focusRequest: number;
  /** Whether the diff has the main column. */
  reviewMode?: { isOn: boolean; toggle: () => void };
};

const moves: Record<string, 1 | -1> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

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

  const onKeyDown = (event: KeyboardEvent) => {
    if (
      composes(event.nativeEvent) ||
      inTextField(event.target) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    const by = moves[event.key];
    const ofLook = lookKey(event.key);
    if (ofLook !== null) toggleLook(ofLook);
    if (ofLook !== null || (by !== undefined && moveFocus(root.current, by))) event.preventDefault();
  };

  if (pending.length === 0 && decided.length === 0) {
    return (
      <p className="empty secondary">
        {written > 0
          ? t`No pending approvals.`
          : t`No changes yet. When Arki proposes an edit or a command, you decide on it here.`}
      </p>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: j and k, heard from the hunks inside
    <div className="changes" ref={root} onKeyDown={onKeyDown} tabIndex={-1} {...within}>
      <span className="diff-probe" ref={probe} aria-hidden />
      <div className="changes-bar">
        <span className="secondary small grow">
          {pending.length > 0 ? t`${pending.length} waiting for you` : t`Nothing waits`}
        </span>
        {look.whitespace === "hidden" && (
          <span className="attention small">{t`Whitespace changes are hidden`}</span>
        )}
        <LookButtons look={look} hasRoom={hasRoom} onToggle={toggleLook} />
        {reviewMode && (
          <IconButton
            label={t`Review mode`}
            command="review-mode"
            icon={Maximize2}
            aria-pressed={reviewMode.isOn}
            onClick={reviewMode.toggle}
          />
        )}
      </div>
      {pending.map((approval) => (
        <Fragment key={approval.approvalId}>
          {approval.sessionId !== sessionId && approval.kind !== "gate" && (
            <Asking sessionId={approval.sessionId} />
          )}
          {approval.kind === "gate" ? (
            <GateApproval approval={approval} />
          ) : approval.kind === "plan" ? (
            <PlanApproval approval={approval} />
          ) : approval.preview?.diffHash ? (
            <LargeApproval approval={approval} preview={approval.preview} look={look} />
          ) : approval.preview ? (
            <WriteApproval approval={approval} preview={approval.preview} look={look} />
          ) : (
            <CommandApproval approval={approval} command={approval.command} />
          )}
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
