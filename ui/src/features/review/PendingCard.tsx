/** The card on which an approval of any kind is decided, and the keys around such cards. */
import type { KeyboardEvent, RefObject } from "react";
import type { DiffLook } from "../../components/diff/HunkLines";
import { lazily } from "../../components/lazily";
import { composes, inTextField } from "../../components/shortcuts";
import type { PendingApproval } from "../../protocol/approvals";
import { CommandApproval } from "./CommandApproval";
import { moveFocus } from "./keys";
import { LargeApproval } from "./LargeApproval";
import { type LookKey, lookKey } from "./look";
import { WriteApproval } from "./WriteApproval";

const GateApproval = lazily(() => import("./GateApproval").then((part) => part.GateApproval));
const PlanApproval = lazily(() => import("./PlanApproval").then((part) => part.PlanApproval));

export function PendingCard({ approval, look }: { approval: PendingApproval; look: DiffLook }) {
  const { kind, preview, command } = approval;
  if (kind === "gate") return <GateApproval approval={approval} />;
  if (kind === "plan") return <PlanApproval approval={approval} />;
  if (preview?.diffHash) return <LargeApproval approval={approval} preview={preview} look={look} />;
  if (preview) return <WriteApproval approval={approval} preview={preview} look={look} />;
  return <CommandApproval approval={approval} command={command} />;
}

const moves: Record<string, 1 | -1> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** j and k, and the letters of the look; heard from the hunks inside. */
export function onChangesKey(root: RefObject<HTMLElement | null>, toggleLook: (key: LookKey) => void) {
  return (event: KeyboardEvent) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isPlain || composes(event.nativeEvent) || inTextField(event.target)) return;
    const by = moves[event.key];
    const ofLook = lookKey(event.key);
    if (ofLook !== null) toggleLook(ofLook);
    if (ofLook !== null || (by !== undefined && moveFocus(root.current, by))) event.preventDefault();
  };
}
