import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Check, Undo2, X } from "lucide-react";
import { type KeyboardEvent, memo, useCallback, useId, useMemo, useRef, useState } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { IconButton } from "../../components/IconButton";
import { List } from "../../components/List";
import { useLatest } from "../../components/latest";
import type { Decisions } from "./decisions";
import { byFolder, type FileState, type ListedFile, nextToDecide, progressOf, rowsOf } from "./file_list";
import { type FileAction, fileListKey } from "./keys";
import type { ReviewActions } from "./useReview";

type Props = {
  files: readonly ListedFile[];
  decisions: Decisions;
  actions: ReviewActions;
  canDecide: boolean;
  /** Leads to the file below. */
  onShow: (at: number) => void;
};

const states: Record<FileState, { sign: string; words: MessageDescriptor }> = {
  undecided: { sign: "○", words: msg`undecided` },
  accepted: { sign: "✓", words: msg`accepted` },
  edited: { sign: "✎", words: msg`edited by you` },
  rejected: { sign: "✕", words: msg`rejected` },
  partly: { sign: "◐", words: msg`partly accepted` },
};

/**
 * The files of a change with what was decided of each. One row takes the focus; the arrow keys move it. Memoised, like
 * its rows: there can be hundreds, and most of what is done in a review changes none.
 */
export const FileList = memo(function FileList({ decisions, actions, canDecide, ...props }: Props) {
  const root = useRef<HTMLElement>(null);
  const [current, setCurrent] = useState(0);
  const files = useMemo(() => rowsOf(props.files), [props.files]);
  const folders = useMemo(() => byFolder(files), [files]);
  const progress = files.map((file) => progressOf(decisions, file.hunks));
  const done = progress.filter((one, at) => one.left === 0 && files[at]?.hunks.length !== 0).length;

  const go = (at: number) => {
    const next = Math.min(files.length - 1, Math.max(0, at));
    setCurrent(next);
    root.current?.querySelector<HTMLElement>(`[data-file="${next}"]`)?.focus();
  };
  const act = (at: number, action: FileAction) => {
    const hunks = files[at]?.hunks ?? [];
    const left = hunks.filter((index) => decisions.of[index] === undefined);
    if (!canDecide || (action === "undo" ? left.length === hunks.length : left.length === 0)) return;
    go(
      action === "undo"
        ? at
        : nextToDecide(
            progress.map((one) => one.left),
            at,
          ),
    );
    if (action === "undo") actions.undo(hunks);
    else actions.decide(left, action === "accept" ? "accepted" : "rejected");
  };
  const latest = useLatest(act);
  const onAct = useCallback((at: number, action: FileAction) => latest.current(at, action), [latest]);
  const onKeyDown = (event: KeyboardEvent) => {
    const key = fileListKey(event);
    if (key === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (key === "next") go(current + 1);
    else if (key === "previous") go(current - 1);
    else if (key === "first") go(0);
    else if (key === "last") go(files.length - 1);
    else act(current, key);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys, heard from the rows inside
    <section className="file-list" ref={root} onKeyDown={onKeyDown}>
      <p className="file-list-head secondary small" role="status">
        {files.some((file) => file.hunks.length > 0)
          ? t`${done} of ${plural(files.length, { one: "# file", other: "# files" })} decided`
          : plural(files.length, { one: "# file", other: "# files" })}
      </p>
      <List className="file-list-rows" aria-label={t`Files in this change`}>
        {folders.map((folder, place) => (
          <li key={`${folder.path} ${folder.files[0]?.at}`}>
            {folder.path ? (
              <p className="file-list-folder mono secondary">
                <VisibleText text={folder.path} />
              </p>
            ) : (
              // Else its files would seem to be in the folder above them.
              place > 0 && <p className="file-list-folder secondary">{t`Top folder`}</p>
            )}
            <List aria-label={folder.path || t`Top folder`}>
              {folder.files.map(({ file, at }) => (
                <li key={at} className="listed-file">
                  <Row
                    at={at}
                    place={file.at}
                    path={file.path}
                    added={file.added}
                    removed={file.removed}
                    hunks={file.hunks.length}
                    state={progress[at]?.state ?? "undecided"}
                    left={progress[at]?.left ?? 0}
                    isCurrent={at === current}
                    canDecide={canDecide}
                    onFocus={setCurrent}
                    onShow={props.onShow}
                    onAct={onAct}
                  />
                </li>
              ))}
            </List>
          </li>
        ))}
      </List>
    </section>
  );
});

type RowProps = {
  at: number;
  /** Of its first card. */
  place: number;
  path: string;
  added: number;
  removed: number;
  hunks: number;
  state: FileState;
  left: number;
  isCurrent: boolean;
  canDecide: boolean;
  onFocus: (at: number) => void;
  onShow: (at: number) => void;
  onAct: (at: number, action: FileAction) => void;
};

const Row = memo(function Row(props: RowProps) {
  const { at, place, path, added, removed, hunks, state, left, isCurrent, canDecide, onShow, onAct } = props;
  const detail = useId();
  const name = path.slice(path.lastIndexOf("/") + 1);
  const onFocus = () => props.onFocus(at);
  const common = { tabIndex: isCurrent ? 0 : -1, "aria-describedby": detail, onFocus };
  return (
    <>
      <button
        type="button"
        className="listed-file-name"
        data-file={at}
        {...common}
        aria-label={path}
        title={path}
        onClick={() => onShow(place)}
      >
        <span className={`listed-file-state decision ${state}`} data-sign={states[state].sign} />
        <span className="mono grow">
          <VisibleText text={name} />
        </span>
      </button>
      <span className="file-counts mono" aria-hidden>
        {added > 0 && <span className="plus">+{added}</span>}
        {removed > 0 && <span className="minus">−{removed}</span>}
      </span>
      <span className="sr-only" id={detail}>
        {describe(props)}
      </span>
      <span className="listed-file-actions">
        {canDecide && left > 0 && (
          <>
            <IconButton
              {...common}
              className="accept"
              label={t`Accept file`}
              shortcut="A"
              icon={Check}
              onClick={() => onAct(at, "accept")}
            />
            <IconButton
              {...common}
              className="reject"
              label={t`Reject file`}
              shortcut="R"
              icon={X}
              onClick={() => onAct(at, "reject")}
            />
          </>
        )}
        {canDecide && left === 0 && hunks > 0 && (
          <IconButton
            {...common}
            label={t`Undo`}
            shortcut="U"
            icon={Undo2}
            onClick={() => onAct(at, "undo")}
          />
        )}
      </span>
    </>
  );
});

function describe({ added, removed, hunks, state, left }: RowProps): string {
  const lines = t`${plural(added, { one: "# line", other: "# lines" })} added, ${removed} removed`;
  if (hunks === 0) return t`decided with the whole change, ${lines}`;
  const decided =
    left > 0 && state === "partly" ? t`${left} of ${hunks} hunks left` : i18n._(states[state].words);
  return `${decided}, ${lines}`;
}
