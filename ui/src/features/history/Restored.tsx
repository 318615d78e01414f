/** Each file that going back would touch: what happens to it, and the difference. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useMemo } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { FileCard } from "../../components/diff/FileCard";
import { HunkLines, plainLook } from "../../components/diff/HunkLines";
import { type DiffFile, parseDiff } from "../../components/diff/parse";
import { exact } from "../../components/format";
import { List } from "../../components/List";
import type { RestoreAction, RestoredFile, RewindPreview } from "../../protocol/generated";
import "./history.css";

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

type Words = { sign: string; word: MessageDescriptor; detail: MessageDescriptor };

const actionWords: Readonly<Record<RestoreAction, Words>> = {
  conflict: { sign: "!", word: msg`left alone`, detail: msg`you changed the same lines later` },
  delete: { sign: "−", word: msg`deleted`, detail: msg`it didn't exist then` },
  restore: { sign: "↺", word: msg`restored`, detail: msg`as it was, with your later edits kept` },
  keep: { sign: "=", word: msg`kept`, detail: msg`already as it was` },
};

/** What needs a second look first. */
const actionOrder: readonly RestoreAction[] = ["conflict", "delete", "restore", "keep"];

function inOrder(changes: readonly RestoredFile[]): RestoredFile[] {
  return [...changes].sort((a, b) => actionOrder.indexOf(a.action) - actionOrder.indexOf(b.action));
}

/** "2 restored, 1 deleted, 1 left alone". */
function counted(changes: readonly RestoredFile[]): string {
  const words = actionOrder.flatMap((action) => {
    const count = changes.filter((one) => one.action === action).length;
    return count === 0 ? [] : [`${exact(count)} ${i18n._(actionWords[action].word)}`];
  });
  return words.join(", ");
}

/** How many files it writes. */
export const writes = (changes: readonly RestoredFile[]): number =>
  changes.filter((one) => one.action === "restore" || one.action === "delete").length;
