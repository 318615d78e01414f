/** One pending change of files: decided by hunk, by file or as a whole, before anything is written. */
import { type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { Button } from "../../components/Button";
import type { DiffLook } from "../../components/diff/HunkLines";
import { type DiffFile, parseDiff } from "../../components/diff/parse";
import { ErrorNote } from "../../components/ErrorNote";
import { plural } from "../../components/format";
import type { PendingApproval } from "../../protocol/approvals";
import type { Preview, Resolution } from "../../protocol/generated";
import { ApprovalFoot } from "./ApprovalFoot";
import { ApprovalHead } from "./ApprovalHead";
import { type Decisions, decide, edit, open, resolution, undo } from "./decisions";
import { useDraft } from "./drafts";
import { FileCard } from "./FileCard";
import { HunkCard } from "./HunkCard";
import { focusNextHunk, hunkOf, reviewKey } from "./keys";
import { useResolve } from "./useResolve";

type Props = { approval: PendingApproval; preview: Preview; look: DiffLook };

/** With more changed lines than this, files start folded: a first look must not cost a second. */
const unfoldedLines = 1500;

export function WriteApproval({ approval, preview, look }: Props) {
  const files = useMemo(() => parseDiff(preview.diff), [preview.diff]);
  const all = useMemo(() => files.flatMap((file) => file.hunks.map((hunk) => hunk.index)), [files]);
  const [{ decisions, note }, setDraft] = useDraft(approval.approvalId);
  const setDecisions = (next: Decisions) => setDraft({ decisions: next });
  const [editing, setEditing] = useState<number | null>(null);
  const { sending, send } = useResolve(approval.approvalId);
  const root = useRef<HTMLElement>(null);
  const summary = useId();
  const byHunk = preview.hunks.length === 0 || preview.hunks.length === all.length;
  const busy = sending.state !== "deciding";
  const left = open(decisions, all);

  const commit = (next: Decisions) => {
    setDecisions(next);
    const decided = resolution(next, all, note, preview.previewHash);
    if (decided) void send(decided);
  };
  const one = (index: number, decision: "accepted" | "rejected") => {
    if (busy || !byHunk) return;
    setEditing(null);
    commit(decide(decisions, [index], decision));
    focusNextHunk(root.current, index);
  };
  const whole = (decision: "accepted" | "rejected") => {
    if (busy) return;
    setEditing(null);
    if (byHunk && all.length > 0) return commit(decide(decisions, left, decision));
    const answer: Resolution["decision"] = decision === "accepted" ? "approve" : "reject";
    void send({
      decision: answer,
      hunks: null,
      edited: null,
      note: note.trim() || null,
      previewHash: preview.previewHash,
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = reviewKey(event);
    if (action === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (action === "accept all") return whole("accepted");
    const index = hunkOf(event.target);
    if (index === null || decisions.of[index] !== undefined) {
      if (index !== null && action === "undo" && !busy) setDecisions(undo(decisions, index));
      return;
    }
    if (action === "accept") one(index, "accepted");
    if (action === "reject") one(index, "rejected");
    if (action === "edit" && byHunk && !busy) setEditing(index);
  };
  const hunkCard = (file: DiffFile, hunk: DiffFile["hunks"][number]) => (
    <HunkCard
      key={hunk.index}
      hunk={hunk}
      path={file.path}
      total={all.length}
      look={look}
      decision={decisions.of[hunk.index]}
      edited={decisions.edits[hunk.index]}
      busy={busy || !byHunk}
      editing={editing === hunk.index}
      onDecide={(decision) => one(hunk.index, decision)}
      onEditing={(on) => {
        setEditing(on ? hunk.index : null);
        if (!on) root.current?.querySelector<HTMLElement>(`[data-hunk="${hunk.index}"]`)?.focus();
      }}
      onEdit={(text) => {
        setEditing(null);
        commit(edit(decisions, hunk.index, text));
        focusNextHunk(root.current, hunk.index);
      }}
      onUndo={() => setDecisions(undo(decisions, hunk.index))}
    />
  );
  const lines = files.reduce((sum, file) => sum + file.added + file.removed, 0);
  return (
    <article className="approval" ref={root} onKeyDown={onKeyDown} aria-describedby={summary}>
      <ApprovalHead approval={approval} id={summary}>
        {plural(files.length, "file")}, {plural(all.length, "hunk")}
      </ApprovalHead>
      {!byHunk && <p className="small attention">This preview can only be decided as a whole.</p>}
      {files.map((file, at) => (
        <FileCard
          key={file.path}
          file={file}
          startOpen={lines <= unfoldedLines || at < 3}
          actions={
            file.hunks.length > 1 && files.length > 1 && !busy && byHunk ? (
              <FileActions file={file} decisions={decisions} onDecide={commit} />
            ) : undefined
          }
        >
          {file.hunks.map((hunk) => hunkCard(file, hunk))}
        </FileCard>
      ))}
      {sending.error && (
        <ErrorNote error={sending.error}>
          {left.length === 0 && all.length > 0 && (
            <Button small onClick={() => commit(decisions)}>
              Try again
            </Button>
          )}
        </ErrorNote>
      )}
      <ApprovalFoot
        note={note}
        onNote={(next) => setDraft({ note: next })}
        state={sending.state}
        detail={`${plural(left.length, "hunk")} of ${plural(files.length, "file")} undecided`}
        summary={left.length === all.length ? plural(files.length, "file") : `${left.length} left`}
        accept="Accept all"
        reject="Reject all"
        onAccept={() => whole("accepted")}
        onReject={() => whole("rejected")}
      />
    </article>
  );
}

function FileActions({
  file,
  decisions,
  onDecide,
}: {
  file: DiffFile;
  decisions: Decisions;
  onDecide: (next: Decisions) => void;
}) {
  const left = open(
    decisions,
    file.hunks.map((hunk) => hunk.index),
  );
  if (left.length === 0) return null;
  return (
    <>
      <Button small look="quiet" onClick={() => onDecide(decide(decisions, left, "accepted"))}>
        Accept file
      </Button>
      <Button small look="quiet" onClick={() => onDecide(decide(decisions, left, "rejected"))}>
        Reject file
      </Button>
    </>
  );
}
