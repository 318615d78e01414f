import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { useMemo } from "react";
import { CommandText } from "../../components/code/CommandText";
import { VisibleText } from "../../components/code/VisibleText";
import { FileCard } from "../../components/diff/FileCard";
import { type DiffLook, HunkLines } from "../../components/diff/HunkLines";
import type { DiffFile, DiffHunk, DiffLine } from "../../components/diff/parse";
import { previewFiles, previewPaths } from "../../components/diff/preview_files";
import { withNewSide } from "../../components/diff/side";
import { clock, exactTime } from "../../components/format";
import type { DecidedApproval } from "../../protocol/approvals";
import { type Fate, fateOf, fatesOf, isWritten } from "./fates";
import { decisionWords } from "./HunkCard";
import { WholeNote } from "./WholeNote";

/** Decided in this window goes without saying. */
const here = ["user", "window"];
const nobody = "timeout";
const fateWords: Record<Fate, MessageDescriptor> = { ...decisionWords, unwritten: msg`✕ not written` };

/** The look of what was not written is the same, whyever. */
const lookOf = (fate: Fate) => (fate === "unwritten" ? "rejected" : fate);

/** A decision already made: the accepted part dims, the rejected part is struck, an edit is marked as yours. */
export function Decided({ decided, look }: { decided: DecidedApproval; look: DiffLook }) {
  const files = useMemo(() => (decided.preview ? previewFiles(decided.preview) : []), [decided.preview]);
  const fates = files.flatMap((file) => fatesOf(decided, file));
  const isInPlace = isWritten(decided) && !decided.takenBack && !isUnwritten(fates);
  return (
    <article className="decided">
      <p className="decided-head small secondary">
        <span className={`decision ${isInPlace ? "accepted" : "rejected"}`}>{verdict(decided, fates)}</span>
        {files.length > 1 && new Set(fates).size > 1 && `: ${outcome(fates)}`}
        {decided.resolvedBy &&
          ![...here, nobody].includes(decided.resolvedBy) &&
          t` by ${decided.resolvedBy}`}
        <span title={exactTime(decided.decidedAt)}> {clock(decided.decidedAt)}</span>
        {decided.reason && decided.resolvedBy !== nobody && (
          <span className="decided-note" dir="auto">
            {" "}
            {t`“${decided.reason}”`}
          </span>
        )}
      </p>
      {decided.question !== null && (
        <p className="gate-question" dir="auto">
          <VisibleText text={decided.question} />
        </p>
      )}
      {decided.command && (
        <pre
          className={`command ${decided.decision === "reject" || decided.ownCommand ? "struck" : "dimmed"}`}
        >
          <CommandText text={decided.command.command} />
        </pre>
      )}
      {decided.ownCommand && (
        <pre className="command dimmed">
          <CommandText text={decided.ownCommand} />
        </pre>
      )}
      {decided.preview?.diffHash && (
        <p className="secondary small">
          {t`${plural(previewPaths(decided.preview).length, { one: "# file", other: "# files" })}, ${plural(decided.preview.linesChanged, { one: "# line", other: "# lines" })} changed: \`arki approvals show ${decided.approvalId}\` lists them.`}
        </p>
      )}
      {files.map((file) => (
        <DecidedFile key={file.hunks[0]?.index ?? file.path} file={file} decided={decided} look={look} />
      ))}
    </article>
  );
}

const isUnwritten = (fates: readonly Fate[]) =>
  fates.includes("unwritten") && !fates.includes("accepted") && !fates.includes("edited");

function verdict(decided: DecidedApproval, fates: readonly Fate[]): string {
  if (decided.superseded) return t`✕ not written: the file changed first`;
  if (decided.resolvedBy === nobody) return t`✕ rejected: nobody answered in time`;
  if (decided.decision === "reject") return t`✕ rejected`;
  if (isUnwritten(fates)) return t`✕ approved, but not written`;
  if (decided.takenBack)
    return decided.command ? t`✓ approved, its file changes reverted` : t`↺ approved, then reverted`;
  if (decided.ownCommand) return t`✎ approved, with your command`;
  if (decided.hunks) return t`✓ partly approved`;
  return Object.keys(decided.edited).length > 0 ? t`✎ approved, with your edits` : t`✓ approved`;
}

/** Such as "1 accepted, 2 rejected": what became of the hunks. */
function outcome(fates: readonly Fate[]): string {
  const count = (one: Fate) => fates.filter((fate) => fate === one).length;
  const told = (["accepted", "edited", "rejected", "unwritten"] as const).map(
    (one) => [count(one), one] as const,
  );
  return told.flatMap(([of, one]) => (of > 0 ? [`${of} ${i18n._(fateWords[one]).slice(2)}`] : [])).join(", ");
}

/** The lines that these hunks add and remove, as they were written. */
function countsOf(hunks: readonly DiffHunk[]): { added: number; removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

type FileProps = { file: DiffFile; decided: DecidedApproval; look: DiffLook };

function DecidedFile({ file, decided, look }: FileProps) {
  const shown = (hunk: DiffHunk) => {
    const text = decided.edited[hunk.index];
    return text === undefined ? hunk : withNewSide(hunk, text);
  };
  const isTaken = (fate: Fate) => fate === "accepted" || fate === "edited";
  const written = file.hunks.filter((hunk) => isTaken(fateOf(decided, hunk.index))).map(shown);
  const fates = fatesOf(decided, file);
  const kinds = new Set(fates);
  const whole = file.hunks.length === 0 && fates.every(isTaken);
  const state = kinds.size === 1 ? [...kinds][0] : undefined;
  return (
    <FileCard
      file={file}
      startOpen={false}
      counts={whole ? file : countsOf(written)}
      state={
        <span className={`decision small ${state ? lookOf(state) : ""}`}>
          {state ? i18n._(fateWords[state]) : outcome(fates)}
        </span>
      }
    >
      {file.hunks.map((hunk) => {
        const fate = fateOf(decided, hunk.index);
        return (
          <div key={hunk.index} className={`hunk ${lookOf(fate)}`}>
            {kinds.size > 1 && (
              <div className={`hunk-bar decision small ${lookOf(fate)}`}>{i18n._(fateWords[fate])}</div>
            )}
            {hunk.lines.length > 0 ? (
              <HunkLines hunk={shown(hunk)} path={file.path} look={look} />
            ) : (
              <WholeNote what={hunk.what} file={file} />
            )}
          </div>
        );
      })}
    </FileCard>
  );
}
