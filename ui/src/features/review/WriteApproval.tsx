/** One pending change of files: decided by hunk, by file or as a whole, before anything is written. */
import { plural, t } from "@lingui/core/macro";
import { useMemo } from "react";
import { FileCard } from "../../components/diff/FileCard";
import type { DiffLook } from "../../components/diff/HunkLines";
import type { DiffFile } from "../../components/diff/parse";
import { distinctFiles, placesOnTop } from "../../components/diff/preview_files";
import type { PendingApproval } from "../../protocol/approvals";
import type { ChangePreview } from "../../protocol/generated";
import { ChangeReview, FileActions, Hunks } from "./ChangeReview";
import { open } from "./decisions";
import { useReview } from "./useReview";

type Props = { approval: PendingApproval; preview: ChangePreview; look: DiffLook };

export function WriteApproval({ approval, preview, look }: Props) {
  const review = useReview(approval, preview);
  const { files, all, byHunk } = review;
  const unfolded = useMemo(() => startUnfolded(files), [files]);
  const listed = useMemo(
    () => files.map((file) => ({ ...file, hunks: byHunk ? indexesOf(file) : [] })),
    [files, byHunk],
  );
  const canDecide = byHunk && !review.busy && !review.isOver;
  const onTop = useMemo(() => placesOnTop(files), [files]);
  return (
    <ChangeReview
      approval={approval}
      review={review}
      canDecide={canDecide}
      files={listed}
      head={
        <>
          {plural(distinctFiles(files), { one: "# file", other: "# files" })},{" "}
          {plural(all.length, { one: "# hunk", other: "# hunks" })}
        </>
      }
      notice={
        !byHunk && (
          <p className="small attention">{t`You can only accept or reject this preview as a whole.`}</p>
        )
      }
    >
      {(at, openRequest) => {
        const file = files[at];
        if (!file) return null;
        const several = file.hunks.length > 1 && files.length > 1;
        const left = several && canDecide ? open(review.decisions, indexesOf(file)) : [];
        return (
          <FileCard
            // One file may be changed by several edits.
            key={at}
            file={file}
            startOpen={at < unfolded}
            openRequest={openRequest}
            state={onTop.has(at) ? <OnTop /> : undefined}
            actions={left.length > 0 ? <FileActions left={left} actions={review.actions} /> : undefined}
          >
            <Hunks
              {...{ file, look, review, canDecide }}
              approvalId={approval.approvalId}
              path={file.path}
              isOnTop={onTop.has(at)}
            />
          </FileCard>
        );
      }}
    </ChangeReview>
  );
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

/** Said of a change that comes after another of the same file in one review. */
function OnTop() {
  return (
    <span
      className="secondary small"
      title={t`If you reject the change above it, this one may no longer fit.`}
    >
      {t`on top of the change above`}
    </span>
  );
}
