import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import {
  Check,
  ChevronDown,
  ChevronRight,
  ChevronsDown,
  ChevronsUp,
  ListChecks,
  MessageSquarePlus,
  Pencil,
  Undo2,
  X,
} from "lucide-react";
import { type KeyboardEvent, memo, useEffect, useId, useMemo, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { useCan } from "../../components/can";
import { VisibleText } from "../../components/code/VisibleText";
import { type DiffLook, HunkLines } from "../../components/diff/HunkLines";
import type { DiffHunk } from "../../components/diff/parse";
import { withNewSide } from "../../components/diff/side";
import { ErrorNote } from "../../components/ErrorNote";
import { IconButton } from "../../components/IconButton";
import { Comments } from "./CommentBox";
import type { LineComment } from "./comments";
import type { Decision, Selection } from "./decisions";
import { HunkByLine, selectedWords } from "./HunkByLine";
import { HunkEditor } from "./HunkEditor";
import { type HunkAction, hunkKey } from "./keys";
import { changedRows, withBoxes } from "./lines";
import { useSurroundings } from "./surroundings";
import type { Editing, ReviewActions } from "./useReview";
import { wholeNoun } from "./WholeNote";

type Props = {
  approvalId: string;
  hunk: DiffHunk;
  path: string;
  /** What it does, where it is no change of lines. */
  note: string | null;
  /** Where more of the file can be shown; null where there is no more. */
  first: number | null;
  last: number | null;
  total: number;
  look: DiffLook;
  decision: Decision | undefined;
  edited: string | undefined;
  selection: Selection | undefined;
  busy: boolean;
  /** Whether it can be accepted otherwise than as it is. */
  canEdit: boolean;
  editing: Editing | null;
  unsaved: string | undefined;
  /** Of this hunk. */
  comments: readonly LineComment[];
  actions: ReviewActions;
};

export const decisionWords: Record<Decision, MessageDescriptor> = {
  accepted: msg`✓ accepted`,
  rejected: msg`✕ rejected`,
  edited: msg`✎ edited by you`,
};

/** Memoised: deciding one hunk of four hundred draws one again. */
export const HunkCard = memo(function HunkCard(props: Props) {
  const { hunk, path, first, last, decision, edited, selection, busy, canEdit, editing, comments, actions } =
    props;
  const root = useRef<HTMLDivElement>(null);
  const cancelEdit = () => {
    actions.stopEditing();
    root.current?.focus();
  };
  const where = useId();
  // What was written by hand instead has other lines.
  const chosen = decision === undefined || edited === selection?.text ? selection : undefined;
  const shown = useMemo(() => {
    if (chosen) return withBoxes(hunk, chosen.off);
    return edited === undefined ? hunk : withNewSide(hunk, edited);
  }, [hunk, chosen, edited]);
  const [isUnfolded, setUnfolded] = useState(false);
  const folds = (decision === "accepted" || decision === "edited") && hunk.lines.length > 0;
  const isFolded = folds && !isUnfolded;
  const room = useMemo(() => (first === null ? null : { first, last }), [first, last]);
  const { around, up, down, error } = useSurroundings(props.approvalId, path, hunk, room);
  // A button goes with the last line that it can show; keys still reach the hunk.
  const asked = useRef(false);
  const more = (fetch: () => Promise<void>) => () => {
    asked.current = true;
    return fetch();
  };
  const buttons = `${up !== null} ${down !== null}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once one of the buttons has gone
  useEffect(() => {
    if (asked.current && document.activeElement === document.body) root.current?.focus();
    asked.current = false;
  }, [buttons]);
  const changed = useMemo(() => changedRows(hunk).length, [hunk]);
  const canSelect = canEdit && changed > 1;
  const offered: Record<HunkAction, boolean> = {
    accept: !decision,
    reject: !decision,
    edit: !decision && canEdit,
    lines: !decision && canSelect,
    comment: !decision && hunk.lines.length > 0,
    undo: decision !== undefined,
    fold: folds,
  };
  const act = (action: HunkAction) => {
    if (action === "fold") return setUnfolded(isFolded);
    if (busy || !offered[action]) return;
    setUnfolded(false);
    if (action === "accept") actions.decide([hunk.index], "accepted");
    else if (action === "reject") actions.decide([hunk.index], "rejected");
    else if (action === "undo") actions.undo([hunk.index]);
    else actions.startEditing(hunk.index, action === "edit" ? "text" : action);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = hunkKey(event);
    if (action === null) return;
    event.preventDefault();
    event.stopPropagation();
    act(action);
  };
  const showsLines = !editing && !isFolded && hunk.lines.length > 0;
  const partly = chosen && !editing ? chosen.taken : null;
  return (
    <div
      className={`hunk ${decision ?? "open"}`}
      ref={root}
      data-hunk={hunk.index}
      role="group"
      aria-labelledby={where}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div className="hunk-bar">
        {folds && (
          <IconButton
            label={isFolded ? t`Show hunk` : t`Hide hunk`}
            shortcut="O"
            icon={isFolded ? ChevronRight : ChevronDown}
            aria-expanded={!isFolded}
            aria-describedby={where}
            onClick={() => act("fold")}
          />
        )}
        {showsLines && up && (
          <IconButton
            label={t`Show lines above`}
            icon={ChevronsUp}
            onClick={more(up)}
            aria-describedby={where}
          />
        )}
        <span className="secondary small cut grow" title={hunk.section || undefined}>
          {props.note === null ? place(hunk) : <VisibleText text={props.note} />}
          {hunk.section && <code className="hunk-section"> {hunk.section.trim()}</code>}
        </span>
        <span id={where} className="sr-only">
          <Trans>
            Hunk {hunk.index} of {props.total}, {place(hunk)} of {path}
            {decision && `, ${i18n._(decisionWords[decision]).slice(2)}`}
          </Trans>
          {partly !== null && `, ${selectedWords(partly, changed)}`}
        </span>
        {partly !== null && (
          <span className="attention small" aria-hidden>
            {t`${partly} of ${plural(changed, { one: "# line", other: "# lines" })}`}
          </span>
        )}
        <Buttons {...props} offered={offered} act={act} describedBy={where} />
      </div>
      {editing?.by === "text" ? (
        <HunkEditor
          hunk={hunk}
          path={path}
          text={selection?.text}
          unsaved={props.unsaved}
          refusals={editing.refusals}
          onChange={(next) => actions.write(hunk.index, next)}
          onCancel={cancelEdit}
          onSave={(next) => actions.edit(hunk.index, next)}
        />
      ) : editing ? (
        <HunkByLine
          key={editing.by}
          hunk={hunk}
          path={path}
          canSelect={canSelect}
          selection={selection}
          comments={comments}
          actions={actions}
          startCommenting={editing.by === "comment"}
          onCancel={cancelEdit}
        />
      ) : (
        showsLines && (
          <>
            <HunkLines hunk={around(shown)} path={path} look={props.look} />
            {down && <Below onMore={more(down)} describedBy={where} />}
            {error && <ErrorNote error={error} />}
          </>
        )
      )}
      <Comments comments={comments} actions={actions} busy={busy} onRemove={() => root.current?.focus()} />
    </div>
  );
});

function Below({ onMore, describedBy }: { onMore: () => void; describedBy: string }) {
  return (
    <div className="hunk-below" dir="ltr">
      <IconButton
        label={t`Show lines below`}
        icon={ChevronsDown}
        onClick={onMore}
        aria-describedby={describedBy}
      />
    </div>
  );
}

type ButtonsProps = Pick<Props, "decision" | "busy" | "editing"> & {
  offered: Record<HunkAction, boolean>;
  act: (action: HunkAction) => void;
  describedBy: string;
};

function Buttons({ decision, busy, editing, offered, act, describedBy }: ButtonsProps) {
  const can = useCan();
  if (decision) {
    return (
      <>
        <span className={`decision small ${decision}`}>{i18n._(decisionWords[decision])}</span>
        {!busy && (
          <IconButton
            label={t`Undo`}
            shortcut="U"
            icon={Undo2}
            onClick={() => act("undo")}
            aria-describedby={describedBy}
          />
        )}
      </>
    );
  }
  if (editing) return null;
  const common = { disabled: busy, "aria-describedby": describedBy };
  const verdicts = [
    ["accept", t`Accept hunk`, t`Accept`, "A", Check],
    ["reject", t`Reject hunk`, t`Reject`, "R", X],
  ] as const;
  const others = [
    ["edit", offered.edit && can("send_message"), t`Edit hunk`, "E", Pencil],
    ["lines", offered.lines, t`Select lines`, "L", ListChecks],
    ["comment", offered.comment, t`Comment on a line`, "C", MessageSquarePlus],
  ] as const;
  return (
    <>
      {verdicts.map(([action, label, words, key, Icon]) => (
        <Button
          key={action}
          {...common}
          small
          look="quiet"
          className={action}
          label={label}
          title={label}
          shortcut={key}
          icon={<Icon size={14} aria-hidden />}
          onClick={() => act(action)}
        >
          {words}
        </Button>
      ))}
      {others.map(
        ([action, isOffered, label, key, icon]) =>
          isOffered && (
            <IconButton
              key={action}
              {...common}
              label={label}
              shortcut={key}
              icon={icon}
              onClick={() => act(action)}
            />
          ),
      )}
    </>
  );
}

function place(hunk: DiffHunk): string {
  if (hunk.what !== undefined) return wholeNoun(hunk.what);
  const [start, lines] = hunk.newLines > 0 ? [hunk.newStart, hunk.newLines] : [hunk.oldStart, hunk.oldLines];
  return lines > 1 ? t`lines ${start}–${start + lines - 1}` : t`line ${start}`;
}
