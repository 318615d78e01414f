import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Check, Undo2, X } from "lucide-react";
import { type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import type { Decisions } from "./decisions";
import {
  byFolder,
  type FileProgress,
  type FileState,
  type ListedFile,
  nextToDecide,
  progressOf,
} from "./file_list";
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

const signs: Record<FileState, string> = {
  undecided: "○",
  accepted: "✓",
  edited: "✎",
  rejected: "✕",
  partly: "◐",
};
const words: Record<FileState, MessageDescriptor> = {
  undecided: msg`undecided`,
  accepted: msg`accepted`,
  edited: msg`edited by you`,
  rejected: msg`rejected`,
  partly: msg`partly accepted`,
};

/** The files of a change with what was decided of each. One row takes the focus; the arrow keys move it. */
export function FileList({ files, decisions, actions, canDecide, onShow }: Props) {
  const root = useRef<HTMLElement>(null);
  const [current, setCurrent] = useState(0);
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
        <Trans>
          {done} of {plural(files.length, { one: "# file", other: "# files" })} decided
        </Trans>
      </p>
      <ul className="file-list-rows" aria-label={t`Files in this change`}>
        {folders.map((folder) => (
          <li key={`${folder.path} ${folder.files[0]?.at}`}>
            {folder.path && (
              <p className="file-list-folder mono secondary">
                <VisibleText text={folder.path} />
              </p>
            )}
            <ul aria-label={folder.path || t`Top folder`}>
              {folder.files.map(({ file, at }) => (
                <li key={file.path} className="listed-file">
                  <Row
                    file={file}
                    at={at}
                    progress={progress[at] ?? progressOf(decisions, file.hunks)}
                    isCurrent={at === current}
                    canDecide={canDecide}
                    onFocus={() => setCurrent(at)}
                    onShow={() => onShow(at)}
                    onAct={(action) => act(at, action)}
                  />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

type RowProps = {
  file: ListedFile;
  at: number;
  progress: FileProgress;
  isCurrent: boolean;
  canDecide: boolean;
  onFocus: () => void;
  onShow: () => void;
  onAct: (action: FileAction) => void;
};

function Row({ file, at, progress, isCurrent, canDecide, onFocus, onShow, onAct }: RowProps) {
  const detail = useId();
  const { state, left } = progress;
  const name = file.path.slice(file.path.lastIndexOf("/") + 1);
  const common = {
    small: true,
    look: "quiet",
    tabIndex: isCurrent ? 0 : -1,
    "aria-describedby": detail,
    onFocus,
  } as const;
  return (
    <>
      <button
        type="button"
        className="listed-file-name"
        data-file={at}
        tabIndex={isCurrent ? 0 : -1}
        aria-label={file.path}
        aria-describedby={detail}
        title={file.path}
        onFocus={onFocus}
        onClick={onShow}
      >
        <span className={`listed-file-state decision ${state}`} data-sign={signs[state]} />
        <span className="mono grow">
          <VisibleText text={name} />
        </span>
      </button>
      <span className="file-counts mono" aria-hidden>
        {file.added > 0 && <span className="plus">+{file.added}</span>}
        {file.removed > 0 && <span className="minus">−{file.removed}</span>}
      </span>
      <span className="sr-only" id={detail}>
        {describe(file, progress)}
      </span>
      <span className="listed-file-actions">
        {canDecide && left > 0 && (
          <>
            <Button
              {...common}
              className="accept"
              label={t`Accept file`}
              shortcut="A"
              icon={<Check size={14} aria-hidden />}
              onClick={() => onAct("accept")}
            />
            <Button
              {...common}
              className="reject"
              label={t`Reject file`}
              shortcut="R"
              icon={<X size={14} aria-hidden />}
              onClick={() => onAct("reject")}
            />
          </>
        )}
        {canDecide && left === 0 && file.hunks.length > 0 && (
          <Button
            {...common}
            label={t`Undo`}
            shortcut="U"
            icon={<Undo2 size={14} aria-hidden />}
            onClick={() => onAct("undo")}
          />
        )}
      </span>
    </>
  );
}

function describe(file: ListedFile, { state, left }: FileProgress): string {
  const lines = t`${plural(file.added, { one: "# line", other: "# lines" })} added, ${file.removed} removed`;
  if (file.hunks.length === 0) return t`decided with the whole change, ${lines}`;
  const decided =
    left > 0 && state === "partly" ? t`${left} of ${file.hunks.length} hunks left` : i18n._(words[state]);
  return `${decided}, ${lines}`;
}
