/** A new rule: by fields or as JSON, said as a sentence, and tried on past calls before it is added. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useRef, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { EntryForm } from "../../components/form/EntryForm";
import { type Field, FieldRow, Fields } from "../../components/form/Fields";
import { RuleSentence } from "../../components/RuleSentence";
import { ruleSentence } from "../../components/rule_sentence";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import type { BacktestResult, PastCallEntry } from "../../protocol/generated";
import { type RuleDecision, readRule } from "../../protocol/rules";
import { Backtest } from "./Backtest";
import { noFields, type RuleFields, ruleText } from "./rule_form";

export type ShowCall = (call: PastCallEntry) => void;

const decisions: readonly [RuleDecision, MessageDescriptor][] = [
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
  const { error, attempt, hush } = useActs();
  const said = ruleText(fields, folder);
  const text = json ?? said;
  const rule = readRule(text);
  /** What was tried out was another rule. */
  const changed = () => {
    forget();
    hush();
  };
  const turn = () => {
    changed();
    if (json === null) return setJson(written.current.fields === said ? written.current.json : said);
    written.current = { json, fields: said };
    setJson(null);
  };
  const set = (key: keyof RuleFields, value: string) => {
    setFields({ ...fields, [key]: value });
    changed();
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
        <Fields fields={fieldsOf(folder)} values={fields} onChange={set} />
      ) : (
        <FieldRow
          field={{
            key: "json",
            label: t`Rule as JSON`,
            kind: "lines",
            rows: Math.min(12, json.split("\n").length + 1),
          }}
          value={json}
          onChange={(written) => {
            setJson(written);
            changed();
          }}
        />
      )}
      <div className="after-label">
        <Button small look="quiet" onClick={turn}>
          {json === null ? t`Write it as JSON` : t`Use the form`}
        </Button>
      </div>
      <p className="after-label" role="status">
        {rule ? (
          <RuleSentence text={ruleSentence(rule, null, folder)} />
        ) : (
          <span className="secondary">{t`A rule names a tool, a command, a path or a host.`}</span>
        )}
      </p>
      {error && <ErrorNote error={error} />}
      {isTesting && <p className="after-label" role="status">{t`Reading past sessions…`}</p>}
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

function fieldsOf(folder: string | null): (Field<keyof RuleFields> | false)[] {
  return [
    {
      key: "decision",
      label: t`Decision`,
      kind: "choice",
      choices: decisions.map(([decision, words]) => [decision, i18n._(words)]),
    },
    { key: "command", label: t`Command`, kind: "code", placeholder: t`cargo test` },
    { key: "path", label: t`Path`, kind: "code", placeholder: "docs/**" },
    { key: "host", label: t`Host`, kind: "code", placeholder: "*.example.org" },
    { key: "tool", label: t`Tool`, kind: "code", placeholder: "edit_file" },
    { key: "reason", label: t`Reason` },
    folder !== null && { key: "onlyHere", label: t`Only in this folder`, kind: "check" },
  ];
}
