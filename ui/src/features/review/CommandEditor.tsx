import { Button } from "../../components/Button";
import { hasBidi } from "../../components/code/invisible";

type Props = { command: string; onChange: (command: string) => void; onCancel: () => void };

/** The user's own command, to run in place of the one that waits. */
export function CommandEditor({ command, onChange, onCancel }: Props) {
  return (
    <div className="hunk-editor">
      <textarea
        className="field mono"
        aria-label="Command to run instead"
        value={command}
        rows={Math.min(12, command.split("\n").length + 1)}
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: opened by "Edit command", which means to type
        autoFocus
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          onCancel();
        }}
      />
      {hasBidi(command) && <p className="small attention">Contains bidirectional control characters.</p>}
      <div className="hunk-editor-foot">
        <span className="secondary small grow">The model is told that another command ran.</span>
        <Button small look="quiet" title="Back to the model's command (Esc)" onClick={onCancel}>
          Cancel edit
        </Button>
      </div>
    </div>
  );
}
