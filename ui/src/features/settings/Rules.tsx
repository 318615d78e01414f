/** The permission rules as sentences: where each comes from, removing one, and adding one after trying it out. */
import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Trash2 } from "lucide-react";
import { VisibleText } from "../../components/code/VisibleText";
import { homePath } from "../../components/format";
import { IconButton } from "../../components/IconButton";
import { RuleSentence, ruleSentence } from "../../components/RuleSentence";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import { failureOf } from "../../platform/platform";
import type { SettingEntry } from "../../protocol/generated";
import { isRecord } from "../../protocol/read";
import { readRule } from "../../protocol/rules";
import { Entries, EntryLine, useEntries } from "./Entries";
import { RuleForm, type ShowCall } from "./RuleForm";
import { origins, useSettings } from "./use_settings";

type Props = {
  /** The one that is open, whose own rules count too. */
  folder: string | null;
  onCall: ShowCall;
};

export function Rules({ folder, onCall }: Props) {
  const arki = useArki();
  const { entries, error, isAnswered, reload } = useSettings(folder);
  const { open, setOpen, close, setRemoved, forget, undone, ...list } = useEntries<"add">();
  const { error: failure, attempt } = useActs();
  const remove = (rule: string) =>
    attempt(async () => {
      await arki.platform.call("remove_rule", { rule });
      await reload();
      setRemoved({ words: t`Rule removed.`, text: rule, undo: () => undo(rule) });
    });
  const undo = async (rule: string) => {
    const failure = await failureOf(arki.platform.call("add_rule", { rule }));
    if (failure === null) await reload();
    return failure;
  };
  const rules = entries?.filter((entry) => entry.key.startsWith("policy.rules[")) ?? [];
  return (
    <Entries
      title={t`Permission rules`}
      problems={[failure ?? error]}
      lead={
        <>
          <p>{t`A rule decides about calls before you are asked. If several match, the strictest one counts.`}</p>
          {entries !== null && rules.length === 0 && (
            <p>{t`You have no rules yet. “Always approve” in a review adds one, and so does the button below.`}</p>
          )}
        </>
      }
      removed={list.removed}
      onUndone={undone}
      add={isAnswered && { words: t`Add rule`, button: list.button, onClick: () => setOpen("add") }}
      form={
        open !== null && (
          <RuleForm
            folder={folder}
            onCall={onCall}
            onAdded={() => {
              forget();
              close();
              void reload();
            }}
            onCancel={close}
          />
        )
      }
    >
      {rules.map((entry) => (
        <li key={entry.key}>
          <Rule entry={entry} folder={folder} onRemove={(rule) => void remove(rule)} />
        </li>
      ))}
    </Entries>
  );
}

type RuleProps = {
  entry: SettingEntry;
  folder: string | null;
  onRemove: (rule: string) => void;
};

function Rule({ entry, folder, onRemove }: RuleProps) {
  const text = JSON.stringify(entry.value, null, 1);
  const rule = readRule(text);
  const about = `rule-${entry.key}`;
  const reason = isRecord(entry.value) && typeof entry.value.reason === "string" ? entry.value.reason : "";
  return (
    <EntryLine
      buttons={
        entry.origin === "user" && (
          <IconButton
            label={t`Remove rule`}
            aria-describedby={about}
            icon={Trash2}
            onClick={() => onRemove(text)}
          />
        )
      }
    >
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
    </EntryLine>
  );
}
