/** Each file that going back would touch: what happens to it, and the difference. */
import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { useMemo } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { FileCard } from "../../components/diff/FileCard";
import { HunkLines, plainLook } from "../../components/diff/HunkLines";
import { type DiffFile, parseDiff } from "../../components/diff/parse";
import type { RestoredFile, RewindPreview } from "../../protocol/generated";
import { actionWords, counted, inOrder } from "./words";
import "./history.css";
import { List } from "../../components/List";

/** More files than these start folded: the list of what happens comes before how. */
const unfoldedFiles = 3;

export function Restored({ preview }: { preview: RewindPreview }) {
  const files = useMemo(
    () => new Map(parseDiff(preview.diff).map((file) => [file.path, file])),
    [preview.diff],
  );
  const changes = useMemo(() => inOrder(preview.changes), [preview.changes]);
  if (changes.length === 0) return <p className="secondary">{t`No file changes.`}</p>;
  return (
    <>
      <p className="secondary" role="status">
        {counted(changes)}
      </p>
      <List className="restored" aria-label={t`Files`}>
        {changes.map((change, place) => (
          <li key={change.path}>
            <File change={change} file={files.get(change.path) ?? null} startOpen={place < unfoldedFiles} />
          </li>
        ))}
      </List>
    </>
  );
}

type FileProps = { change: RestoredFile; file: DiffFile | null; startOpen: boolean };

function File({ change, file, startOpen }: FileProps) {
  const words = actionWords[change.action];
  const state = (
    <span className={`restored-action small ${change.action}`} title={i18n._(words.detail)}>
      <span aria-hidden>{words.sign}</span> {i18n._(words.word)}
    </span>
  );
  if (file === null || file.hunks.length === 0) {
    return (
      <div className="restored-file">
        <span className="mono grow">
          <VisibleText text={change.path} />
        </span>
        <span className="secondary small">{i18n._(words.detail)}</span>
        {state}
      </div>
    );
  }
  return (
    <FileCard file={file} startOpen={startOpen} state={state}>
      {file.hunks.map((hunk) => (
        <HunkLines key={hunk.index} hunk={hunk} path={file.path} look={plainLook} />
      ))}
    </FileCard>
  );
}
