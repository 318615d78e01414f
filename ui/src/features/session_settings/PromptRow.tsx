import { t } from "@lingui/core/macro";
import { useId, useState } from "react";
import { Button } from "../../components/Button";
import { LabelledRow } from "../../components/form/Fields";

type Props = {
  sessionId: string;
  own: string | null;
  configured: string | null;
  onSave: (prompt: string) => Promise<boolean>;
};

/** Prompts that were written and not saved, by session: closing the dialog loses nothing. */
const unsaved = new Map<string, string>();

/** The session's own prompt, which takes the place of the configured one. */
export function PromptRow({ sessionId, own, configured, onSave }: Props) {
  const [text, setText] = useState(() => unsaved.get(sessionId) ?? own ?? "");
  const write = (words: string) => {
    setText(words);
    if (words === (own ?? "")) unsaved.delete(sessionId);
    else unsaved.set(sessionId, words);
  };
  const save = async (words: string) => {
    if (!(await onSave(words))) return;
    setText(words);
    unsaved.delete(sessionId);
  };
  const [id, about] = [useId(), useId()];
  const isChanged = text !== (own ?? "");
  const source = isChanged
    ? t`Not saved yet.`
    : own !== null
      ? t`Set for this session, instead of the configured one.`
      : configured !== null
        ? t`From the configuration. Write another one to replace it in this session.`
        : t`None is configured. What you write is added to Arki's own instructions.`;
  return (
    <LabelledRow id={id} aboutId={about} label={t`Prompt`} about={source}>
      <div>
        <textarea
          id={id}
          className="field"
          aria-describedby={about}
          rows={4}
          value={text}
          placeholder={configured ?? ""}
          dir="auto"
          onChange={(event) => write(event.target.value)}
        />
        <div className="session-setting-buttons">
          <Button disabled={!isChanged} onClick={() => void save(text)}>
            {t`Save prompt`}
          </Button>
          {own !== null && (
            <Button look="quiet" onClick={() => void save("")}>
              {t`Use the configured prompt`}
            </Button>
          )}
          {own === null && isChanged && (
            <Button look="quiet" onClick={() => write("")}>
              {t`Discard`}
            </Button>
          )}
        </div>
      </div>
    </LabelledRow>
  );
}
