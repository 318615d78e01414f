/** One approval by itself, with the look of its diff. */
import { useEffect, useRef } from "react";
import type { PendingApproval } from "../../protocol/approvals";
import { focusDecision } from "./Changes";
import { LookBar, useLook, useRoom } from "./look";
import { onChangesKey, PendingCard } from "./PendingCard";
import "./review.css";

/** `focusRequest`: as of `Changes`. */
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
