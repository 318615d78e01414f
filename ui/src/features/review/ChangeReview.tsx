/** What the review of every change of files has: its files, its hunks, and deciding about the whole. */
import { plural, t } from "@lingui/core/macro";
import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { Button } from "../../components/Button";
import type { DiffLook } from "../../components/diff/HunkLines";
import type { DiffFile } from "../../components/diff/parse";
import { distinctFiles } from "../../components/diff/preview_files";
import { ErrorNote } from "../../components/ErrorNote";
import type { PendingApproval } from "../../protocol/approvals";
import type { KeepScope } from "../../protocol/generated";
import { ApprovalFoot, ApprovalHead } from "./ApprovalFrame";
import { ofHunk } from "./comments";
import { HunkCard } from "./HunkCard";
import { keepKey, useKeeping } from "./Keep";
import { focusFileList, reviewKey, unfoldedByKey, useFocusAfterDecision } from "./keys";
import { ReviewFiles } from "./ReviewFiles";
import { roomsOf } from "./surroundings";
import type { Review, ReviewActions } from "./useReview";
import { noteOf } from "./WholeNote";

type Props = {
  approval: PendingApproval;
  review: Review;
  canDecide: boolean;
  /** Of `ReviewFiles`. */
  files: Parameters<typeof ReviewFiles>[0]["files"];
  /** What the change is, in words. */
  head: ReactNode;
  notice?: ReactNode;
  tabIndex?: number;
  /** The card of a file. */
  children: (place: number, openRequest: number) => ReactNode;
};

export function ChangeReview(props: Props) {
  const { approval, review, canDecide, files, head, notice, tabIndex, children } = props;
  const { all, left, sending, actions } = review;
  const root = useRef<HTMLElement>(null);
  const summary = useId();
  const { onKeep, keep } = useKeeping(approval.approvalId, review);
  useFocusAfterDecision(root, left);
  const fileWords = plural(distinctFiles(files), { one: "# file", other: "# files" });
  return (
    <article
      className="approval"
      ref={root}
      tabIndex={tabIndex}
      onKeyDown={onReviewKey(actions, onKeep)}
      aria-describedby={summary}
    >
      <ApprovalHead approval={approval} id={summary}>
        {head}
      </ApprovalHead>
      {notice}
      <ReviewFiles files={files} review={review} canDecide={canDecide}>
        {children}
      </ReviewFiles>
      {sending.error && (
        <ErrorNote
          error={sending.error}
          onAgain={left.length === 0 && all.length > 0 && !review.isOver && actions.again}
        />
      )}
      <ApprovalFoot
        note={review.note}
        onNote={review.setNote}
        comments={review.sends}
        state={sending.state}
        expiresAt={review.until}
        detail={t`${plural(left.length, { one: "# hunk", other: "# hunks" })} of ${fileWords} undecided`}
        summary={left.length === all.length ? fileWords : t`${left.length} left`}
        accept={t`Accept all`}
        reject={t`Reject all`}
        onAccept={() => actions.whole("accepted")}
        onReject={() => actions.whole("rejected")}
        keep={keep}
      />
    </article>
  );
}

function onReviewKey(actions: ReviewActions, onKeep: (scope: KeepScope) => void) {
  return (event: KeyboardEvent<HTMLElement>) => {
    if (unfoldedByKey(event)) return event.preventDefault();
    const scope = keepKey(event);
    const action = scope === null ? reviewKey(event) : null;
    if (scope === null && action === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (scope !== null) onKeep(scope);
    else if (action === "files") focusFileList(event.currentTarget);
    else actions.whole("accepted");
  };
}

type HunksProps = {
  approvalId: string;
  path: string;
  file: Pick<DiffFile, "hunks" | "isLink" | "change" | "oldPath" | "modes">;
  look: DiffLook;
  review: Review;
  canDecide: boolean;
  /** Its last hunk goes on in what is not read yet. */
  isCut?: boolean;
  /** The file on the disk is not yet what it changes. */
  isOnTop?: boolean;
};

export function Hunks({ approvalId, path, file, look, review, canDecide, ...rest }: HunksProps) {
  const { isCut = false, isOnTop = false } = rest;
  const { decisions, actions, editing, unsaved, comments, all } = review;
  // Of a file that is new or goes away, all is in the hunk; one that moves is no longer under its old name.
  const lined = file.hunks.filter((hunk) => hunk.what === undefined);
  const rooms = file.change === "modified" && !isOnTop ? roomsOf(lined) : [];
  const wholes = file.hunks.length - lined.length;
  return file.hunks.map((hunk, at) => {
    const { index } = hunk;
    // It can't be edited yet, and nobody knows what follows it.
    const goesOn = isCut && at === file.hunks.length - 1;
    return (
      <HunkCard
        key={index}
        approvalId={approvalId}
        hunk={hunk}
        path={path}
        note={hunk.what !== undefined || hunk.lines.length === 0 ? noteOf(hunk.what, file) : null}
        first={goesOn ? null : (rooms[at - wholes]?.first ?? null)}
        last={rooms[at - wholes]?.last ?? null}
        total={all.length}
        look={look}
        decision={decisions.of[index]}
        edited={decisions.edits[index]}
        selection={goesOn ? undefined : decisions.selected[index]}
        busy={!canDecide || goesOn}
        canEdit={hunk.what === undefined && !file.isLink}
        editing={editing?.index === index && !goesOn ? editing : null}
        unsaved={unsaved?.index === index ? unsaved.text : undefined}
        comments={ofHunk(comments, index)}
        actions={actions}
      />
    );
  });
}

type FileProps = { left: readonly number[]; actions: ReviewActions };

/** Decides all hunks that are left of a file. */
export function FileActions({ left, actions }: FileProps) {
  return (
    <>
      <Button small look="quiet" onClick={() => actions.decide(left, "accepted")}>
        {t`Accept file`}
      </Button>
      <Button small look="quiet" onClick={() => actions.decide(left, "rejected")}>
        {t`Reject file`}
      </Button>
    </>
  );
}
