/** One pending change of files: decided by hunk, by file or as a whole, before anything is written. */
import { plural, t } from "@lingui/core/macro";
import { type KeyboardEvent, useId, useMemo, useRef } from "react";
import { Button } from "../../components/Button";
import { FileCard } from "../../components/diff/FileCard";
import type { DiffLook } from "../../components/diff/HunkLines";
import type { DiffFile } from "../../components/diff/parse";
import { ErrorNote } from "../../components/ErrorNote";
import type { PendingApproval } from "../../protocol/approvals";
import type { ChangePreview, KeepScope } from "../../protocol/generated";
import { ApprovalFoot } from "./ApprovalFoot";
import { ApprovalHead } from "./ApprovalHead";
import { ofHunk } from "./comments";
import { open } from "./decisions";
import { FileActions } from "./FileActions";
import { HunkCard } from "./HunkCard";
import { keepKey, useKeeping } from "./Keep";
import { focusFileList, reviewKey, useFocusAfterDecision } from "./keys";
import { ReviewFiles } from "./ReviewFiles";
import { roomsOf } from "./surroundings";
import { type ReviewActions, useReview } from "./useReview";

type Props = { approval: PendingApproval; preview: ChangePreview; look: DiffLook };
type Review = ReturnType<typeof useReview>;

export function WriteApproval({ approval, preview, look }: Props) {
  const review = useReview(approval, preview);
  const { files, all, left, sending, actions } = review;
  const root = useRef<HTMLElement>(null);
  const summary = useId();
  const { onKeep, keep } = useKeeping(approval.approvalId, review);
  const unfolded = useMemo(() => startUnfolded(files), [files]);
  const { byHunk } = review;
  const listed = useMemo(
    () => files.map((file) => ({ ...file, hunks: byHunk ? indexesOf(file) : [] })),
    [files, byHunk],
  );
  const canDecide = byHunk && !review.busy && !review.isOver;
  useFocusAfterDecision(root, left);
  return (
    <article
      className="approval"
      ref={root}
      onKeyDown={onReviewKey(actions, onKeep)}
      aria-describedby={summary}
    >
      <ApprovalHead approval={approval} id={summary}>
        {plural(files.length, { one: "# file", other: "# files" })},{" "}
        {plural(all.length, { one: "# hunk", other: "# hunks" })}
      </ApprovalHead>
      {!byHunk && (
        <p className="small attention">{t`You can only accept or reject this preview as a whole.`}</p>
      )}
      <ReviewFiles files={listed} review={review} canDecide={canDecide}>
        {(at, openRequest) => {
          const file = files[at];
          return (
            file && (
              <ReviewedFile
                key={file.path}
                approvalId={approval.approvalId}
                file={file}
                look={look}
                review={review}
                canDecide={canDecide}
                startOpen={at < unfolded}
                openRequest={openRequest}
              />
            )
          );
        }}
      </ReviewFiles>
      {sending.error && (
        <ErrorNote error={sending.error}>
          {left.length === 0 && all.length > 0 && !review.isOver && (
            <Button small onClick={actions.again}>
              {t`Try again`}
            </Button>
          )}
        </ErrorNote>
      )}
      <ApprovalFoot
        note={review.note}
        onNote={review.setNote}
        comments={review.sends}
        state={sending.state}
        expiresAt={review.until}
        detail={t`${plural(left.length, { one: "# hunk", other: "# hunks" })} of ${plural(files.length, { one: "# file", other: "# files" })} undecided`}
        summary={
          left.length === all.length
            ? plural(files.length, { one: "# file", other: "# files" })
            : t`${left.length} left`
        }
        accept={t`Accept all`}
        reject={t`Reject all`}
        onAccept={() => actions.whole("accepted")}
        onReject={() => actions.whole("rejected")}
        keep={keep}
      />
    </article>
  );
}

type FileProps = {
  approvalId: string;
  file: DiffFile;
  look: DiffLook;
  review: Review;
  canDecide: boolean;
  startOpen: boolean;
  openRequest: number;
};

function ReviewedFile({ approvalId, file, look, review, canDecide, startOpen, openRequest }: FileProps) {
  const { decisions, actions, editing, unsaved, comments, files, all } = review;
  const several = file.hunks.length > 1 && files.length > 1;
  const left = several && canDecide ? open(decisions, indexesOf(file)) : [];
  // Of a file that is new or goes away, all is in the hunk; one that moves is no longer under its old name.
  const rooms = file.change === "modified" && !file.isLink ? roomsOf(file.hunks) : [];
  return (
    <FileCard
      file={file}
      startOpen={startOpen}
      openRequest={openRequest}
      actions={left.length > 0 ? <FileActions left={left} actions={actions} /> : undefined}
    >
      {file.hunks.map((hunk, at) => (
        <HunkCard
          key={hunk.index}
          approvalId={approvalId}
          hunk={hunk}
          path={file.path}
          first={rooms[at]?.first ?? null}
          last={rooms[at]?.last ?? null}
          total={all.length}
          look={look}
          decision={decisions.of[hunk.index]}
          edited={decisions.edits[hunk.index]}
          selection={decisions.selected[hunk.index]}
          busy={!canDecide}
          canEdit={!file.isLink}
          editing={editing?.index === hunk.index ? editing : null}
          unsaved={unsaved?.index === hunk.index ? unsaved.text : undefined}
          comments={ofHunk(comments, hunk.index)}
          actions={actions}
        />
      ))}
    </FileCard>
  );
}

export function onReviewKey(actions: ReviewActions, onKeep: (scope: KeepScope) => void) {
  return (event: KeyboardEvent<HTMLElement>) => {
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

/** A first look must not cost a second: files start folded past this many changed lines, or files. */
const unfoldedLines = 800;
const unfoldedFiles = 25;

function startUnfolded(files: readonly DiffFile[]): number {
  let lines = 0;
  const past = files.findIndex((file, at) => {
    lines += file.added + file.removed;
    return at > 0 && (lines > unfoldedLines || at >= unfoldedFiles);
  });
  return past === -1 ? files.length : past;
}

const indexesOf = (file: DiffFile) => file.hunks.map((hunk) => hunk.index);
