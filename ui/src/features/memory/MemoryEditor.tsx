import { t } from "@lingui/core/macro";
import { type KeyboardEvent, useState } from "react";
import { Button } from "../../components/Button";
import { cancelOnEscape, sends } from "../../components/shortcuts";

type Props = {
  text: string;
  /** What saving is called. */
  save: string;
  onSave: (text: string) => Promise<boolean>;
  onCancel: () => void;
};

/** One memory is one line: Enter saves it. */
export function MemoryEditor({ text, save, onSave, onCancel }: Props) {
  const [words, setWords] = useState(text);
  const [saving, setSaving] = useState(false);
  const ready = words.trim() !== "" && !saving;
  const keep = async () => {
    setSaving(true);
    if (!(await onSave(words.trim()))) setSaving(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    cancelOnEscape(onCancel)(event);
    if (!sends(event.nativeEvent)) return;
    event.preventDefault();
    if (ready) void keep();
  };
  return (
    <div className="memory-editor" data-typing>
      <textarea
        className="field"
        aria-label={t`Memory`}
        rows={2}
        dir="auto"
        // biome-ignore lint/a11y/noAutofocus: the user asked to edit it
        autoFocus
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="memory-actions">
        <Button small look="primary" disabled={!ready} onClick={keep}>
          {save}
        </Button>
        <Button small onClick={onCancel}>
          {t`Cancel`}
        </Button>
      </div>
    </div>
  );
}
