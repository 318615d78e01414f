/**
 * A change whose diff is too large to be held at once: its files with their counts, each folded. A file's diff comes
 * when it is unfolded, in pages. What is decided is the whole that the preview's hash binds, seen or not.
 */
import { plural, t } from "@lingui/core/macro";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { FileCard } from "../../components/diff/FileCard";
import type { DiffLook } from "../../components/diff/HunkLines";
import { type DiffFile, parseDiff } from "../../components/diff/parse";
import { withHunks } from "../../components/diff/preview_files";
import { ErrorNote } from "../../components/ErrorNote";
import { useAnswer } from "../../components/useAnswer";
import { useArki } from "../../platform/context";
import type { PendingApproval } from "../../protocol/approvals";
import type { ChangePreview, CommandError, Hunk, ReviewFile } from "../../protocol/generated";
import { ChangeReview, FileActions, Hunks } from "./ChangeReview";
import { open } from "./decisions";
import { useReview } from "./useReview";

type Props = { approval: PendingApproval; preview: ChangePreview; look: DiffLook };

export function LargeApproval(props: Props) {
  const { answer: files, error } = useAnswer("review_files", { approvalId: props.approval.approvalId });
  // Nothing can be decided before it is known what there is to decide.
  if (error) return <ErrorNote error={error} />;
  if (files === null) return <p className="empty secondary">{t`Reading the change…`}</p>;
  return <Files {...props} files={files} />;
}

function Files({ approval, preview, look, files }: Props & { files: ReviewFile[] }) {
  const { approvalId } = approval;
  const numbers = useMemo(() => files.flatMap(hunksOf), [files]);
  const review = useReview(approval, preview, numbers);
  const { all, decisions, actions } = review;
  const listed = useMemo(() => files.map((file) => ({ ...file, hunks: hunksOf(file) })), [files]);
  const own = useMemo(() => files.map((file) => ownHunks(preview, file)), [files, preview]);
  const canDecide = !review.busy && !review.isOver;
  return (
    <ChangeReview
      approval={approval}
      review={review}
      canDecide={canDecide}
      files={listed}
      tabIndex={0}
      head={t`${plural(files.length, { one: "# file", other: "# files" })}, ${plural(all.length, { one: "# hunk", other: "# hunks" })}, ${plural(preview.linesChanged, { one: "# line", other: "# lines" })} changed`}
    >
      {(place, openRequest) => {
        const file = files[place];
        if (!file) return null;
        const left = canDecide ? open(decisions, hunksOf(file)) : [];
        return (
          <FileCard
            key={file.firstHunk}
            file={folded(file)}
            startOpen={false}
            openRequest={openRequest}
            state={<span className="secondary small">{fileState(file, left.length)}</span>}
            actions={left.length > 0 && <FileActions left={left} actions={actions} />}
          >
            <Pages approvalId={approvalId} place={place} own={own[place] ?? []}>
              {(shown, isWhole) => (
                <Hunks
                  {...{ approvalId, look, review, canDecide }}
                  path={file.path}
                  file={{ ...shown, change: file.change }}
                  isCut={!isWhole}
                />
              )}
            </Pages>
          </FileCard>
        );
      }}
    </ChangeReview>
  );
}

type PagesProps = {
  approvalId: string;
  place: number;
  own: readonly Hunk[];
  children: (shown: DiffFile, isWhole: boolean) => React.ReactNode;
};

/** A file's diff, as far as it was asked for. */
function Pages({ approvalId, place, own, children }: PagesProps) {
  const { platform } = useArki();
  const [text, setText] = useState("");
  const [next, setNext] = useState<number | null>(0);
  const [reading, setReading] = useState(false);
  const [error, setError] = useState<CommandError | null>(null);
  const more = async () => {
    if (next === null || reading) return;
    setReading(true);
    try {
      const page = await platform.call("review_page", { approvalId, file: place, from: next });
      setText((before) => before + page.text);
      setNext(page.next);
    } catch (caught) {
      setError(caught as CommandError);
    } finally {
      setReading(false);
    }
  };
  const first = useRef(more);
  useEffect(() => {
    void first.current();
  }, []);
  const shown = useMemo(() => {
    const file = parseDiff(text)[0];
    return file && withHunks(file, own);
  }, [text, own]);
  return (
    <>
      {shown && children(shown, next === null)}
      {shown && next === null && shown.hunks.length === 0 && (
        <p className="file-empty secondary small">
          {shown.binary ? t`Binary file: its content can't be shown.` : t`No lines change.`}
        </p>
      )}
      {error && <ErrorNote error={error} />}
      {next !== null && (
        <Button small look="quiet" disabled={reading} onClick={() => void more()}>
          {reading ? t`Reading…` : t`Show more`}
        </Button>
      )}
    </>
  );
}

const ownHunks = (preview: ChangePreview, file: ReviewFile) =>
  preview.hunks.slice(file.firstHunk - 1, file.firstHunk - 1 + file.hunks);

const hunksOf = (file: ReviewFile) => Array.from({ length: file.hunks }, (_, at) => file.firstHunk + at);

function fileState(file: ReviewFile, left: number): string {
  if (left === 0) return t`decided`;
  return left === file.hunks
    ? plural(file.hunks, { one: "# hunk", other: "# hunks" })
    : t`${left} of ${plural(file.hunks, { one: "# hunk", other: "# hunks" })} left`;
}

/** What the card says of a file that is not read yet. It has a hunk, so that the card says nothing of its own. */
function folded({ path, change, added, removed }: ReviewFile): DiffFile {
  const hunk = { index: 0, oldStart: 0, oldLines: 0, newStart: 0, newLines: 0, section: "", lines: [] };
  return { path, oldPath: null, change, binary: false, isLink: false, hunks: [hunk], added, removed };
}
