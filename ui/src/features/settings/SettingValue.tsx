import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { type Choice, Select } from "../../components/form/Fields";
import { measured, measuredFigure, measureOf } from "../../components/measure";
import { RuleSentence, ruleSentence } from "../../components/RuleSentence";
import { Switch } from "../../components/Switch";
import { figure, withDot } from "../../components/typed_number";
import type { SettingEntry, SettingKind } from "../../protocol/generated";
import { readRule } from "../../protocol/rules";

type Props = {
  entry: SettingEntry;
  folder: string | null;
  /** What the control is called; the key where it has no other name. */
  label?: string;
  /** Words behind a number. */
  unit?: string;
  /** Returns whether it was taken; what was typed stays if not. */
  onChange: (text: string) => Promise<boolean>;
};

/** One value, in the control that fits to it; a time or a size with its unit. What the open folder says can't be changed here. */
export function SettingValue({ entry, folder, label = entry.key, unit, onChange }: Props) {
  const { value, kind, choices } = entry;
  const measure = measureOf(entry.key);
  const rule = entry.key.startsWith("policy.rules[") ? readRule(JSON.stringify(value)) : null;
  if (rule)
    return (
      <div className="setting-value">
        <p>
          <RuleSentence text={ruleSentence(rule, null, folder)} />
        </p>
        <details>
          <summary className="small secondary">{t`Show rule`}</summary>
          {entry.canBeSet ? (
            <Typed entry={entry} kind="json" label={label} onChange={onChange} />
          ) : (
            <Json value={value} />
          )}
        </details>
      </div>
    );
  if (kind === "group" || kind === "map") return null;
  if (kind === "list") return <Listed value={value} isSet={entry.origin !== "default"} />;
  if (!entry.canBeSet)
    return (
      <div className="setting-value setting-typed">
        <Json value={measure && typeof value === "number" ? measured(value, measure) : value} />
        {unit !== undefined && <span className="secondary">{unit}</span>}
      </div>
    );
  if (kind === "switch" && (value === null || typeof value === "boolean"))
    return (
      <div className="setting-value">
        <Switch label={label} checked={value ?? false} onChange={(on) => onChange(String(on))} />
      </div>
    );
  if (kind === "choice" && (value === null || typeof value === "string"))
    return (
      <div className="setting-value">
        <TypedField
          kind={kind}
          choices={value === null ? [["", t`not set`], ...choices] : choices}
          label={label}
          text={value ?? ""}
          onType={(text) => void onChange(sentText(kind, text))}
        />
      </div>
    );
  return <Typed entry={entry} kind={kind} label={label} unit={unit} onChange={onChange} />;
}

/** Its items have rows of their own, but for those that hold because nothing is set. */
function Listed({ value, isSet }: { value: unknown; isSet: boolean }) {
  const isEmpty = Array.isArray(value) && value.length === 0;
  return (
    <div className="setting-value secondary">
      {value === null ? t`not set` : isEmpty ? t`empty` : !isSet && <Json value={value} />}
    </div>
  );
}

function Json({ value }: { value: unknown }) {
  return (
    <pre className="setting-json">
      <VisibleText text={typeof value === "string" ? value : JSON.stringify(value, null, 1)} />
    </pre>
  );
}

/** As it is typed: a text without quotes where nobody could take it for anything else. */
export function typedText(kind: SettingKind, value: unknown): string {
  if (kind === "number" && typeof value === "number") return figure(value);
  if (kind === "text" || kind === "long_text" || kind === "number") return String(value ?? "");
  if (kind === "secret") return "";
  return typeof value === "string" && !isJson(value) ? value : JSON.stringify(value, null, 1);
}

/** What the engine gets for it. */
export function sentText(kind: SettingKind, text: string): string {
  if (kind === "secret" || kind === "choice") return JSON.stringify(text);
  if (kind === "text" || kind === "long_text") return text.trim() === "" ? "null" : JSON.stringify(text);
  if (text.trim() === "") return "null";
  return kind === "number" ? withDot(text) : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type TypedProps = {
  entry: SettingEntry;
  kind: SettingKind;
  label: string;
  unit?: string;
  onChange: Props["onChange"];
};

/** Saved with Enter or the button, so that no half-written value counts. What is typed stays until it is saved. */
function Typed({ entry: { key, value, template }, kind, label, unit, onChange }: TypedProps) {
  const measure = measureOf(key);
  const stored =
    measure && typeof value === "number"
      ? measured(value, measure)
      : typedText(kind, value ?? (kind === "json" ? template : null));
  const [draft, setDraft] = useState<string | null>(null);
  const text = draft ?? stored;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (await onChange(sentText(kind, measure ? measuredFigure(text, measure) : text))) setDraft(null);
  };
  // What only is an example of a value isn't one yet.
  const isExample = kind === "json" && value === null && template !== null;
  return (
    <form className="setting-value setting-typed" onSubmit={(event) => void save(event)}>
      <TypedField kind={kind} label={label} text={text} onType={setDraft} />
      {unit !== undefined && <span className="setting-unit secondary">{unit}</span>}
      {(text !== stored || isExample) && (
        <Button type="submit" small look="primary" aria-label={t`Save ${key}`}>
          {t`Save`}
        </Button>
      )}
    </form>
  );
}

type FieldProps = {
  kind: SettingKind;
  choices?: readonly Choice[];
  label: string;
  text: string;
  onType: (text: string) => void;
};

/** The control for a kind of value, named by its label alone. */
export function TypedField({ kind, choices = [], label, text, onType }: FieldProps) {
  const isLong = kind === "long_text";
  const placeholder = kind === "secret" ? t`hidden; type to replace it` : t`not set`;
  const common = {
    className: `field${kind === "json" ? " mono" : ""}`,
    "aria-label": label,
    value: text,
    onChange: (event: { target: { value: string } }) => onType(event.target.value),
  };
  if (kind === "choice") return <Select {...common} choices={choices} />;
  if (kind === "text" || kind === "number" || kind === "secret")
    return (
      <input
        {...common}
        type={kind === "secret" ? "password" : "text"}
        autoComplete="off"
        inputMode={kind === "number" ? "decimal" : undefined}
        placeholder={placeholder}
        spellCheck={false}
      />
    );
  return (
    <textarea
      {...common}
      rows={Math.min(8, Math.max(isLong ? 2 : 1, text.split("\n").length))}
      placeholder={placeholder}
      spellCheck={false}
      dir={isLong ? "auto" : undefined}
    />
  );
}
