import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useState } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { EntryForm } from "../../components/form/EntryForm";
import { Fields } from "../../components/form/Fields";
import { duration } from "../../components/format";
import { List } from "../../components/List";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import type { HookEntry, HookEvent, TriedHookEntry } from "../../protocol/generated";
import { exampleFor, isOfCall } from "../../protocol/hook_entries";
import { outcomes } from "./hook_words";

type Props = { hook: HookEntry; folder: string; onClose: () => void };

/** Tries what would happen: the hooks of the event run as in a run, but nothing is recorded or changed. */
export function HookTest({ hook, folder, onClose }: Props) {
  const { platform } = useArki();
  const { event } = hook;
  const [given, setGiven] = useState({ ...exampleFor(event, hook.entry), text: "" });
  const [tried, setTried] = useState<TriedHookEntry[] | null>(null);
  const { busy: isTrying, error, attempt } = useActs();
  const ask = () =>
    void attempt(async () =>
      setTried(await platform.call("try_hooks", { folder, happens: { event, ...given } })),
    );
  const ofCall = isOfCall(event);
  const told = texts[event];
  return (
    <EntryForm label={t`Test ${hook.name}`} save={t`Try it`} onSave={ask} onCancel={onClose}>
      <p className="small secondary">
        {t`Runs this event's hooks with this input. They can't change the project, and nothing is recorded.`}
      </p>
      <Fields
        fields={[
          ofCall && { key: "tool", label: t`Tool`, kind: "code", required: true },
          ofCall && { key: "args", label: t`Arguments`, kind: "lines", placeholder: "{}" },
          told !== undefined && { key: "text", label: i18n._(told), kind: "lines" },
        ]}
        values={given}
        onChange={(key, value) => setGiven({ ...given, [key]: value })}
      />
      <div role="status">
        {isTrying && <p className="secondary">{t`Trying…`}</p>}
        {!isTrying && tried?.length === 0 && (
          <p>{t`No hook is for this: it is about something else, or this folder isn't trusted.`}</p>
        )}
        {!isTrying && tried !== null && tried.length > 0 && (
          <List className="configured">
            {tried.map((answer, place) => (
              <li key={place}>
                <Answer answer={answer} />
              </li>
            ))}
          </List>
        )}
      </div>
      {error && <ErrorNote error={error} />}
    </EntryForm>
  );
}

function Answer({ answer: { name, outcome, words, durationMs, args, context } }: { answer: TriedHookEntry }) {
  return (
    <>
      <p>
        <strong>
          <VisibleText text={name} />
        </strong>{" "}
        {outcome && i18n._(outcomes[outcome])} <span className="secondary">{duration(durationMs)}</span>
      </p>
      <p className="small secondary">
        <VisibleText text={words} />
      </p>
      {args !== null && (
        <p className="small">
          {t`Arguments instead:`}{" "}
          <code>
            <VisibleText text={args} />
          </code>
        </p>
      )}
      {context !== null && (
        <pre className="setting-json">
          <VisibleText text={t`To the model: ${context}`} />
        </pre>
      )}
    </>
  );
}

/** What is told besides a call; nothing at the start of a session. */
const texts: Readonly<Partial<Record<HookEvent, MessageDescriptor>>> = {
  PostToolUse: msg`Result`,
  UserPromptSubmit: msg`Prompt`,
  Stop: msg`Last answer`,
  Notification: msg`Message`,
};
