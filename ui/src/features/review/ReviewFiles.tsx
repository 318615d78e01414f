import { t } from "@lingui/core/macro";
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { glide } from "../../components/glide";
import { useLatest } from "../../components/latest";
import { FileList } from "./FileList";
import { isListed, type ListedFile, openFirst } from "./file_list";
import type { Review } from "./useReview";

type Props = {
  files: readonly ListedFile[];
  review: Review;
  canDecide: boolean;
  /** The file's card. It unfolds when `openRequest` becomes another number than 0. */
  children: (at: number, openRequest: number) => ReactNode;
};

/** The files under review, below the list of them. */
export function ReviewFiles({ files, review, canDecide, children }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const [jump, setJump] = useState({ at: -1, request: 0 });
  useEffect(() => {
    if (jump.request > 0) showFile(cardAt(root.current, jump.at));
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
  const { open, decided } = openFirst(files, review.decisions);
  useMotion(root, decided);
  const card = (at: number) => (
    <div key={at} data-at={at}>
      {children(at, jump.at === at ? jump.request : 0)}
    </div>
  );
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
        {/* One list: a card that goes from one part to the other stays what it is. */}
        {[
          ...open.map(card),
          decided.length > 0 && (
            <p key="decided" className="review-decided secondary small">{t`Decided so far`}</p>
          ),
          ...decided.map(card),
        ]}
      </div>
    </div>
  );
}

const cardAt = (root: HTMLElement | null, at: number) =>
  root?.querySelector<HTMLElement>(`[data-at="${at}"]`) ?? null;

/** Shows where a file went that was decided, or is open again. */
function useMotion(root: RefObject<HTMLElement | null>, decided: readonly number[]) {
  const before = useRef(decided);
  const moved = [
    ...decided.filter((at) => !before.current.includes(at)),
    ...before.current.filter((at) => !decided.includes(at)),
  ];
  // Of many at once no eye sees where they go. It is still where it was.
  const card = moved.length === 1 ? cardAt(root.current, moved[0] ?? 0) : null;
  const top = card?.getBoundingClientRect().top ?? 0;
  useLayoutEffect(() => {
    before.current = decided;
    if (card) glide(card, 0, top - card.getBoundingClientRect().top);
  });
}

/** The focus goes to the open editor, or what is still to be decided; a file whose diff is yet to come has its button. */
function showFile(card: Element | null): void {
  const stops = [".own-text .code-area", ".hunk.open", ".hunk", ".file-toggle"];
  const stop = stops.map((one) => card?.querySelector<HTMLElement>(one)).find((found) => found);
  card?.scrollIntoView({ block: "start" });
  stop?.focus({ preventScroll: true });
  if (stop?.matches("textarea")) stop.scrollIntoView({ block: "nearest" });
}
