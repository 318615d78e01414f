import { t } from "@lingui/core/macro";
import { Button } from "../../components/Button";
import { OwnText } from "./OwnText";

type Props = { command: string; onChange: (command: string) => void; onCancel: () => void };

/** The user's own command, to run in place of the one that waits. */
export function CommandEditor({ command, onChange, onCancel }: Props) {
  return (
    <OwnText
      label={t`Command to run instead`}
      value={command}
      maxRows={12}
      onChange={onChange}
      onCancel={onCancel}
    >
      <span className="secondary small grow">{t`Arki tells the model that a different command ran.`}</span>
      <Button small look="quiet" title={t`Go back to the model's command (Esc)`} onClick={onCancel}>
        {t`Cancel edit`}
      </Button>
    </OwnText>
  );
}
