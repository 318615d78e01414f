import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { Button } from "../Button";
import { VisibleText } from "../code/VisibleText";
import type { DiffFile, FileChange } from "./parse";
import "./file.css";

const changeWords: Record<FileChange, MessageDescriptor | null> = {
  modified: null,
  added: msg`new file`,
  deleted: msg`deleted`,
  renamed: msg`renamed`,
  copied: msg`copied`,
};

function emptyNote({ binary, modes }: DiffFile): string {
  if (binary) return t`Binary file: its content can't be shown.`;
  return modes ? t`Mode changed from ${modes.before} to ${modes.after}.` : t`No lines change.`;
}

type Props = {
  file: DiffFile;
  startOpen: boolean;
  /** Unfolds the file each time that it becomes another number than 0. */
  openRequest?: number;
  actions?: ReactNode;
  state?: ReactNode;
  /** Of what was written, where that is not all of it. */
  counts?: { added: number; removed: number };
  children: ReactNode;
};

/** One file of a change: a region named by its path, which folds. */
export function FileCard(props: Props) {
  const { file, startOpen, openRequest = 0, actions, state, counts = file, children } = props;
  const [open, setOpen] = useState(startOpen);
  const [requested, setRequested] = useState(0);
  if (requested !== openRequest) {
    setRequested(openRequest);
    if (openRequest > 0) setOpen(true);
  }
  const body = useId();
  const said = changeWords[file.change];
  const words = said && i18n._(said);
  const slash = file.path.lastIndexOf("/") + 1;
  return (
    <section className="file" aria-label={file.path}>
      <div className="file-head">
        <Button
          small
          look="quiet"
          className="file-toggle"
          label={open ? t`Fold` : t`Unfold`}
          aria-expanded={open}
          aria-controls={body}
          icon={open ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
          onClick={() => setOpen(!open)}
        />
        <span className="file-path mono grow" title={file.path}>
          <span className="secondary">
            <VisibleText text={file.path.slice(0, slash)} />
          </span>
          <VisibleText text={file.path.slice(slash)} />
        </span>
        {state}
        <span
          className="file-counts mono"
          title={t`${plural(counts.added, { one: "# line", other: "# lines" })} added, ${counts.removed} removed`}
        >
          {counts.added > 0 && <span className="plus">+{counts.added}</span>}
          {counts.removed > 0 && <span className="minus">−{counts.removed}</span>}
        </span>
        {open && (words || file.oldPath || actions) && (
          <div className="file-sub small">
            <span className="secondary grow">
              {words}
              {file.oldPath && (
                <>
                  {t` from `}
                  <code>
                    <VisibleText text={file.oldPath} />
                  </code>
                </>
              )}
            </span>
            {actions}
          </div>
        )}
      </div>
      <div id={body} hidden={!open}>
        {open && children}
        {open && file.hunks.length === 0 && <p className="file-empty secondary small">{emptyNote(file)}</p>}
      </div>
    </section>
  );
}
