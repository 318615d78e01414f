import { t } from "@lingui/core/macro";
import { type FormEvent, useId, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { RuleSentence } from "../../components/RuleSentence";
import { ruleSentence } from "../../components/rule_sentence";
import { Switch } from "../../components/Switch";
import type { SettingEntry } from "../../protocol/generated";
import { readRule } from "../../protocol/rules";

type Props = {
  entry: SettingEntry;
  folder: string | null;
  onChange: (text: string) => Promise<void>;
};

/** One value, in the control that fits to it. What the open folder says can't be changed here. */
export function SettingValue({ entry, folder, onChange }: Props) {
  const { key, value, kind, choices } = entry;
  const isFixed = !entry.canBeSet || entry.origin === "project";
  const rule = key.startsWith("policy.rules[") ? readRule(JSON.stringify(value)) : null;
  if (rule)
    return (
      <div className="setting-value">
        <p>
          <RuleSentence text={ruleSentence(rule, null, folder)} />
        </p>
        <details>
          <summary className="small secondary">{t`Show rule`}</summary>
          <Json value={value} />
        </details>
      </div>
    );
  if (isFixed)
    return (
      <div className="setting-value">
        <Json value={value} />
      </div>
    );
  if (kind === "switch" && typeof value === "boolean")
    return (
      <div className="setting-value">
        <Switch label={key} checked={value} onChange={(on) => void onChange(String(on))} />
      </div>
    );
  if (kind === "choice" && (value === null || typeof value === "string"))
    return (
      <div className="setting-value">
        <select
          className="field"
          aria-label={key}
          value={value ?? ""}
          onChange={(event) => void onChange(event.target.value)}
        >
          {value === null && <option value="">{t`not set`}</option>}
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </div>
    );
  const isText = kind === "text" || kind === "number";
  return <Typed key={JSON.stringify(value)} entry={entry} isText={isText} onChange={onChange} />;
}

function Json({ value }: { value: unknown }) {
  return (
    <pre className="setting-json">
      <VisibleText text={JSON.stringify(value, null, 1)} />
    </pre>
  );
}

type TypedProps = { entry: SettingEntry; isText: boolean; onChange: Props["onChange"] };

/** Saved with Enter or the button, so that no half-written value counts. */
function Typed({ entry: { key, value, kind }, isText, onChange }: TypedProps) {
  const stored = isText ? String(value ?? "") : JSON.stringify(value, null, 1);
  const [text, setText] = useState(stored);
  const id = useId();
  const save = (event: FormEvent) => {
    event.preventDefault();
    void onChange(isText && text.trim() === "" ? "null" : text);
  };
  return (
    <form className="setting-value setting-typed" onSubmit={save}>
      {isText ? (
        <input
          id={id}
          className="field"
          aria-label={key}
          inputMode={kind === "number" ? "decimal" : undefined}
          placeholder={t`not set`}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      ) : (
        <textarea
          id={id}
          className="field mono"
          aria-label={key}
          rows={Math.min(8, stored.split("\n").length)}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {text !== stored && (
        <Button type="submit" small look="primary" aria-label={t`Save ${key}`}>
          {t`Save`}
        </Button>
      )}
    </form>
  );
}
