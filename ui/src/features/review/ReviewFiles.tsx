import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { useLatest } from "../../components/latest";
import { FileList } from "./FileList";
import { isListed, type ListedFile } from "./file_list";
import type { useReview } from "./useReview";

type Props = {
  files: readonly ListedFile[];
  review: ReturnType<typeof useReview>;
  canDecide: boolean;
  /** The file's card. It unfolds when `openRequest` becomes another number than 0. */
  children: (at: number, openRequest: number) => ReactNode;
};

/** The files under review, below the list of them. */
export function ReviewFiles({ files, review, canDecide, children }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const [jump, setJump] = useState({ at: -1, request: 0 });
  useEffect(() => {
    if (jump.request > 0) showFile(root.current?.children[jump.at] ?? null);
  }, [jump]);
  const show = useCallback((at: number) => setJump((before) => ({ at, request: before.request + 1 })), []);
  const refused = review.editing?.refusals ? review.editing : null;
  const latest = useLatest(files);
  useEffect(() => {
    if (!refused) return;
    const at = latest.current.findIndex((file) => file.hunks.includes(refused.index));
    show(at);
  }, [refused, latest, show]);
  const hasList = isListed(files);
  return (
    <div className="review-files">
      {hasList && (
        <FileList
          files={files}
          decisions={review.decisions}
          actions={review.actions}
          canDecide={canDecide}
          onShow={show}
        />
      )}
      <div className="review-cards" ref={root}>
        {files.map((_, at) => children(at, jump.at === at ? jump.request : 0))}
      </div>
    </div>
  );
}

/** The focus goes to the open editor, or what is still to be decided; a file whose diff is yet to come has its button. */
function showFile(card: Element | null): void {
  const stops = [".own-text .field", ".hunk.open", ".hunk", ".file-toggle"];
  const stop = stops.map((one) => card?.querySelector<HTMLElement>(one)).find((found) => found);
  card?.scrollIntoView({ block: "start" });
  stop?.focus({ preventScroll: true });
  if (stop?.matches("textarea")) stop.scrollIntoView({ block: "nearest" });
}
