import { useState } from "react";
import { Button } from "../../components/Button";
import { hasBidi } from "../../components/code/invisible";
import type { DiffHunk } from "../../components/diff/parse";
import { newSide, restoreEndings, usesCrlf } from "../../components/diff/side";
import { matches } from "../../components/shortcuts";

type Props = {
  hunk: DiffHunk;
  text: string | undefined;
  onSave: (text: string) => void;
  onCancel: () => void;
};

/** The new side of one hunk as text. Line endings and the final newline come back as they were. */
export function HunkEditor({ hunk, text, onSave, onCancel }: Props) {
  const original = newSide(hunk);
  const [draft, setDraft] = useState((text ?? original).replace(/\r\n/g, "\n").replace(/\n$/, ""));
  const save = () => onSave(restoreEndings(draft, original));
  return (
    <div className="hunk-editor">
      <textarea
        className="field mono"
        aria-label="New text of this hunk"
        value={draft}
        rows={Math.min(24, draft.split("\n").length + 1)}
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: opened by "Edit hunk", which means to type
        autoFocus
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Escape") onCancel();
          else if (matches(event, "Mod+Enter")) save();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {hasBidi(draft) && <p className="small attention">Contains bidirectional control characters.</p>}
      <div className="hunk-editor-foot">
        <span className="secondary small grow">
          Saved as edited by you{usesCrlf(original) ? "; keeps CRLF line endings" : ""}.
        </span>
        <Button small look="quiet" title="Cancel (Esc)" onClick={onCancel}>
          Cancel
        </Button>
        <Button small look="primary" title="Save edit" shortcut="Mod+Enter" onClick={save}>
          Save edit
        </Button>
      </div>
    </div>
  );
}
