/** A new rule: by fields or as JSON, said as a sentence, and tried on past calls before it is added. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useRef, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { RuleSentence } from "../../components/RuleSentence";
import { ruleSentence } from "../../components/rule_sentence";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { BacktestResult, CommandError, Decision, PastCallEntry } from "../../protocol/generated";
import { readRule } from "../../protocol/rules";
import { Backtest } from "./Backtest";
import { EntryForm } from "./EntryForm";
import { ChoiceRow, LinesRow, TextRow } from "./FormRows";
import { noFields, type RuleFields, ruleText } from "./rule_form";
import "../../components/checks.css";

export type ShowCall = (call: PastCallEntry) => void;

const decisions: readonly [Decision, MessageDescriptor][] = [
  ["allow", msg`Allow without asking`],
  ["preview", msg`Show a preview first`],
  ["approval", msg`Always ask`],
  ["deny", msg`Never allow`],
];

type Props = { folder: string | null; onCall: ShowCall; onAdded: () => void; onCancel: () => void };

export function RuleForm({ folder, onCall, onAdded, onCancel }: Props) {
  const arki = useArki();
  const [fields, setFields] = useState(noFields);
  /** Null while the fields say it. */
  const [json, setJson] = useState<string | null>(null);
  /** What was written before the form was used again, and what the fields said then. */
  const written = useRef({ json: "", fields: "" });
  const { tested, isTesting, test, forget } = useBacktest();
  const [error, setError] = useState<CommandError | null>(null);
  const said = ruleText(fields, folder);
  const text = json ?? said;
  const rule = readRule(text);
  /** What was tried out was another rule. */
  const changed = () => {
    forget();
    setError(null);
  };
  const turn = () => {
    changed();
    if (json === null) return setJson(written.current.fields === said ? written.current.json : said);
    written.current = { json, fields: said };
    setJson(null);
  };
  const set = (part: Partial<RuleFields>) => {
    setFields({ ...fields, ...part });
    changed();
  };
  const attempt = async (work: () => Promise<unknown>) => {
    setError(null);
    try {
      await work();
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  };
  const save = () =>
    void attempt(async () => {
      await arki.platform.call("add_rule", { rule: text });
      onAdded();
    });
  return (
    <EntryForm
      label={t`Add rule`}
      save={t`Add rule`}
      onSave={save}
      onCancel={onCancel}
      more={
        <Button aria-disabled={isTesting} onClick={() => isTesting || void attempt(() => test(text))}>
          {t`What would it change?`}
        </Button>
      }
    >
      {json === null ? (
        <Fields fields={fields} folder={folder} onChange={set} />
      ) : (
        <LinesRow
          label={t`Rule as JSON`}
          rows={Math.min(12, json.split("\n").length + 1)}
          placeholder=""
          value={json}
          onChange={(written) => {
            setJson(written);
            changed();
          }}
        />
      )}
      <div className="rule-after-label">
        <Button small look="quiet" onClick={turn}>
          {json === null ? t`Write it as JSON` : t`Use the form`}
        </Button>
      </div>
      <p className="rule-after-label" role="status">
        {rule ? (
          <RuleSentence text={ruleSentence(rule, null, folder)} />
        ) : (
          <span className="secondary">{t`A rule names a tool, a command, a path or a host.`}</span>
        )}
      </p>
      {error && <ErrorNote error={error} />}
      {isTesting && <p role="status">{t`Reading past sessions…`}</p>}
      {tested && <Backtest result={tested} onCall={onCall} />}
    </EntryForm>
  );
}

/** The answer to what was asked last. */
function useBacktest() {
  const arki = useArki();
  const [tested, setTested] = useState<BacktestResult | null>(null);
  const [isTesting, setTesting] = useState(false);
  const newest = useRef(0);
  const forget = () => {
    newest.current += 1;
    setTested(null);
    setTesting(false);
  };
  const test = async (rule: string) => {
    forget();
    const asked = newest.current;
    setTesting(true);
    try {
      const result = await arki.platform.call("backtest_rule", { rule });
      if (asked === newest.current) setTested(result);
    } finally {
      if (asked === newest.current) setTesting(false);
    }
  };
  return { tested, isTesting, test, forget };
}

type FieldsProps = {
  fields: RuleFields;
  folder: string | null;
  onChange: (part: Partial<RuleFields>) => void;
};

function Fields({ fields, folder, onChange }: FieldsProps) {
  const row = (key: "tool" | "command" | "path" | "host", label: string, placeholder: string) => (
    <TextRow
      label={label}
      mono
      placeholder={placeholder}
      value={fields[key]}
      onChange={(value) => onChange({ [key]: value })}
    />
  );
  return (
    <>
      <ChoiceRow
        label={t`Decision`}
        value={fields.decision}
        onChange={(decision) => onChange({ decision: decision as Decision })}
      >
        {decisions.map(([decision, words]) => (
          <option key={decision} value={decision}>
            {i18n._(words)}
          </option>
        ))}
      </ChoiceRow>
      {row("command", t`Command`, t`cargo test`)}
      {row("path", t`Path`, "docs/**")}
      {row("host", t`Host`, "*.example.org")}
      {row("tool", t`Tool`, "edit_file")}
      <TextRow label={t`Reason`} value={fields.reason} onChange={(reason) => onChange({ reason })} />
      {folder !== null && (
        <label className="choice rule-after-label">
          <input
            type="checkbox"
            checked={fields.onlyHere}
            onChange={(event) => onChange({ onlyHere: event.target.checked })}
          />
          {t`Only in this folder`}
        </label>
      )}
    </>
  );
}
