/** A new rule: by fields or as JSON, said as a sentence, and tried on past calls before it is added. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { EntryForm } from "../../components/form/EntryForm";
import { type Field, FieldRow, Fields } from "../../components/form/Fields";
import { folderName } from "../../components/format";
import { RuleSentence, ruleSentence } from "../../components/RuleSentence";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import type { BacktestResult, Decision, PastCallEntry } from "../../protocol/generated";
import { type RuleDecision, readRule } from "../../protocol/rules";
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

const outcomes: Readonly<Record<Decision, MessageDescriptor>> = {
  allow: msg`allowed`,
  review: msg`runs, with a review of its changes`,
  preview: msg`asks with a preview`,
  approval: msg`asks`,
  deny: msg`denied`,
};

/** The past calls that a rule matches, and what it would decide about them. */
function Backtest({ result, onCall }: { result: BacktestResult; onCall: ShowCall }) {
  const { matched, matchedCount, changed, calls, leftOut } = result;
  const shown = matched.length;
  const past = plural(calls, { one: "# past call", other: "# past calls" });
  return (
    <section className="backtest after-label" aria-label={t`What the rule would change`}>
      <p role="status">
        {matchedCount === 0
          ? t`${past} looked at: the rule matches none.`
          : t`${past} looked at: the rule matches ${matchedCount} and would decide ${changed} differently.`}
      </p>
      {leftOut > 0 && (
        <p className="small secondary">
          {plural(leftOut, {
            one: "# call is left out: its folder no longer exists.",
            other: "# calls are left out: their folders no longer exist.",
          })}
        </p>
      )}
      <ul className="configured">
        {matched.map((call) => (
          <li key={`${call.sessionId} ${call.seq}`}>
            <PastCall call={call} onCall={onCall} />
          </li>
        ))}
      </ul>
      {matched.length < matchedCount && <p className="small secondary">{t`Only ${shown} are listed.`}</p>}
    </section>
  );
}

function PastCall({ call, onCall }: { call: PastCallEntry; onCall: ShowCall }) {
  const { toolId, decided, decision, withRule } = call;
  const about = `call-${call.sessionId}-${call.seq}`;
  const today = i18n._(outcomes[decision]);
  const then = decided === null ? "" : t`Back then: ${i18n._(outcomes[decided])}`;
  return (
    <>
      <p id={about} className="past-call">
        {toolId !== "run_command" && (
          <span className="secondary">
            <VisibleText text={toolId} />{" "}
          </span>
        )}
        <code>
          <VisibleText text={call.call} />
        </code>
      </p>
      <p className="small secondary" title={then}>
        {decision === withRule ? (
          t`${today}, unchanged`
        ) : (
          <>
            {today} <span aria-hidden>→</span>
            <span className="sr-only">{t`becomes`}</span> <strong>{i18n._(outcomes[withRule])}</strong>
          </>
        )}
        {" · "}
        <button type="button" className="link" aria-describedby={about} onClick={() => onCall(call)}>
          <VisibleText text={call.title || t`Untitled session`} />
        </button>{" "}
        <VisibleText text={folderName(call.project)} />
      </p>
    </>
  );
}
