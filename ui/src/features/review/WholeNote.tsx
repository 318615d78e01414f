import { t } from "@lingui/core/macro";
import { VisibleText } from "../../components/code/VisibleText";
import type { DiffFile } from "../../components/diff/parse";
import type { WholeChange } from "../../protocol/generated";

type Props = { what: WholeChange | undefined; file: Pick<DiffFile, "modes" | "change"> };

/** What a change without lines does, in the place of its lines. */
export function WholeNote({ what, file }: Props) {
  return (
    <p className="file-empty secondary small">
      <VisibleText text={noteOf(what, file)} />
    </p>
  );
}

export function noteOf(what: WholeChange | undefined, { modes, change }: Props["file"]): string {
  const notes: Partial<Record<WholeChange, string>> = {
    mode: modes ? t`Mode changed from ${modes.before} to ${modes.after}.` : t`Mode changed.`,
    // The head of the file says from where.
    move: t`Moved.`,
    folder: change === "deleted" ? t`An empty folder was removed.` : t`New empty folder.`,
    empty: t`Empty file.`,
    link: t`Symbolic link.`,
  };
  return (what && notes[what]) ?? t`Binary file: its content can't be shown.`;
}

/** The word for it, where a hunk would name its lines. */
export function wholeNoun(what: WholeChange): string {
  const nouns: Record<WholeChange, string> = {
    binary: t`binary file`,
    mode: t`mode change`,
    link: t`link`,
    empty: t`empty file`,
    folder: t`empty folder`,
    move: t`move`,
  };
  return nouns[what];
}
