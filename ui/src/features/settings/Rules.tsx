/** The permission rules as sentences: where each comes from, removing one, and adding one after trying it out. */
import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Plus, Trash2 } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { homePath } from "../../components/format";
import { RuleSentence } from "../../components/RuleSentence";
import { ruleSentence } from "../../components/rule_sentence";
import { useArki } from "../../platform/context";
import { asCommandError, type Platform } from "../../platform/platform";
import type { CommandError, SettingEntry } from "../../protocol/generated";
import { isRecord } from "../../protocol/read";
import { readRule } from "../../protocol/rules";
import { useListed } from "./listed";
import { origins } from "./origins";
import { RuleForm, type ShowCall } from "./RuleForm";
import "./rules.css";
import { List } from "../../components/List";

type Props = {
  /** The one that is open, whose own rules count too. */
  folder: string | null;
  onCall: ShowCall;
};

export function Rules({ folder, onCall }: Props) {
  const arki = useArki();
  const ask = useCallback((platform: Platform) => platform.call("list_settings", { folder }), [folder]);
  const { listed, error, isAnswered, reload } = useListed<"list_settings">(ask);
  const [failure, setFailure] = useState<CommandError | null>(null);
  const [removed, setRemoved] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const add = useRef<HTMLButtonElement>(null);
  /** Whoever leaves the form goes on at the button, as soon as it is there. */
  const goesOn = useRef(false);
  useLayoutEffect(() => {
    if (adding || !goesOn.current) return;
    goesOn.current = false;
    add.current?.focus();
  }, [adding]);
  const close = () => {
    goesOn.current = true;
    setAdding(false);
  };
  /** Returns whether it is done. */
  const change = async (work: () => Promise<unknown>) => {
    setFailure(null);
    try {
      await work();
    } catch (thrown) {
      setFailure(asCommandError(thrown));
      return false;
    }
    await reload();
    return true;
  };
  const remove = async (rule: string) => {
    if (await change(() => arki.platform.call("remove_rule", { rule }))) setRemoved(rule);
  };
  const undo = async (rule: string) => {
    if (await change(() => arki.platform.call("add_rule", { rule }))) {
      setRemoved(null);
      add.current?.focus();
    }
  };
  const problem = failure ?? error;
  const rules = listed?.filter((entry) => entry.key.startsWith("policy.rules[")) ?? [];
  return (
    <section className="settings-section" aria-labelledby="rules-title">
      <h3 id="rules-title">{t`Permission rules`}</h3>
      <p className="secondary">
        {t`A rule decides about calls before you are asked. If several match, the strictest one counts.`}
      </p>
      {problem && <ErrorNote error={problem} />}
      {listed !== null && rules.length === 0 && (
        <p>{t`You have no rules yet. "Always approve" in a review adds one, and so does the button below.`}</p>
      )}
      <List className="configured">
        {rules.map((entry) => (
          <li key={entry.key}>
            <Rule entry={entry} folder={folder} onRemove={remove} />
          </li>
        ))}
      </List>
      {removed !== null && <Removed rule={removed} onUndo={undo} />}
      {adding ? (
        <RuleForm
          folder={folder}
          onCall={onCall}
          onAdded={() => {
            setRemoved(null);
            close();
            void reload();
          }}
          onCancel={close}
        />
      ) : (
        isAnswered && (
          <Button ref={add} small icon={<Plus size={14} aria-hidden />} onClick={() => setAdding(true)}>
            {t`Add rule`}
          </Button>
        )
      )}
    </section>
  );
}

type RuleProps = {
  entry: SettingEntry;
  folder: string | null;
  onRemove: (rule: string) => Promise<void>;
};

function Rule({ entry, folder, onRemove }: RuleProps) {
  const text = JSON.stringify(entry.value, null, 1);
  const rule = readRule(text);
  const about = `rule-${entry.key}`;
  const reason = isRecord(entry.value) && typeof entry.value.reason === "string" ? entry.value.reason : "";
  return (
    <div className="configured-line">
      <div className="grow">
        <p id={about}>
          {rule ? <RuleSentence text={ruleSentence(rule, null, folder)} /> : <VisibleText text={text} />}
        </p>
        {reason !== "" && (
          <p className="small secondary" dir="auto">
            <VisibleText text={reason} />
          </p>
        )}
        <p className="small secondary">
          {i18n._(origins[entry.origin])}
          {entry.file !== null && (
            <>
              {" · "}
              <VisibleText text={homePath(entry.file)} />
            </>
          )}
        </p>
        <details>
          <summary className="small secondary">{t`Show rule`}</summary>
          <pre className="setting-json">
            <VisibleText text={text} />
          </pre>
        </details>
      </div>
      {entry.origin === "user" && (
        <Button
          small
          look="quiet"
          label={t`Remove rule`}
          aria-describedby={about}
          icon={<Trash2 size={14} aria-hidden />}
          onClick={() => void onRemove(text)}
        />
      )}
    </div>
  );
}

/** A rule is listed without its secrets: one that has some can't be added again from here. */
function Removed({ rule, onUndo }: { rule: string; onUndo: (rule: string) => Promise<void> }) {
  const button = useRef<HTMLButtonElement>(null);
  // What had the focus is gone.
  useEffect(() => button.current?.focus(), []);
  return (
    <p role="status">
      {t`Rule removed.`}{" "}
      {!rule.includes("[secret:") && (
        <Button ref={button} small look="quiet" onClick={() => void onUndo(rule)}>
          {t`Undo`}
        </Button>
      )}
    </p>
  );
}
