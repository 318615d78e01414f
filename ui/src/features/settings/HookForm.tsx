/** The forms of a hook: what it is, and trying it. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useState } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { EntryForm, SchemaForm } from "../../components/form/EntryForm";
import { type Choice, type Field, Fields, linesField } from "../../components/form/Fields";
import { duration } from "../../components/format";
import { List } from "../../components/List";
import { measured, measuredFigure } from "../../components/measure";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import type { HookActionKind, HookEntry, HookEvent, TriedHookEntry } from "../../protocol/generated";
import {
  exampleFor,
  type HookDraft,
  isOfCall,
  newHook,
  readHook,
  writeHook,
} from "../../protocol/hook_entries";
import { actions, events, outcomes } from "./hook_words";
import type { Change } from "./use_settings";

type Props = {
  /** Null for a new one. */
  hook: HookEntry | null;
  onChange: Change;
  onClose: () => void;
};

type Values = Readonly<Record<string, string>>;

export function HookForm({ hook, onChange, onClose }: Props) {
  const [before] = useState(() => (hook ? readHook(hook.event, hook.entry) : newHook()));
  const isShared = before.runs.length > 1;
  return (
    <SchemaForm
      label={hook ? t`Edit ${hook.name}` : t`Add hook`}
      save={t`Save hook`}
      first={valuesOf(before)}
      fields={(values) => fieldsOf(draftOf(before, values, hook === null), hook === null)}
      note={isShared && <p className="small secondary">{t`These commands share an entry in your file.`}</p>}
      onSave={(values) => {
        const draft = draftOf(before, values, hook === null);
        const text = JSON.stringify(writeHook(draft));
        return onChange([
          hook?.key
            ? { key: hook.key, text, was: JSON.stringify(hook.entry) }
            : { key: `hooks.${draft.event}[]`, text, was: null },
        ]);
      }}
      onClose={onClose}
    />
  );
}

/** The commands behind one matcher have numbers. */
function valuesOf({ entry: _, runs, network, matcher, ...texts }: HookDraft): Values {
  const commands = runs.flatMap(({ command, seconds }, at) => [
    [`command ${at}`, command],
    [`seconds ${at}`, /^[\d.]+$/.test(seconds) ? measured(Number(seconds), "seconds") : seconds],
  ]);
  return {
    ...texts,
    matcher: matcher ?? "",
    network: network ? "true" : "",
    ...Object.fromEntries(commands),
  };
}

function draftOf(before: HookDraft, values: Values, isNew: boolean): HookDraft {
  const event = values.event as HookEvent;
  const hasMatcher = isNew ? !isOfCall(event) : before.matcher !== null;
  return {
    ...before,
    ...values,
    event,
    action: values.action as HookActionKind,
    matcher: hasMatcher ? (values.matcher ?? "") : null,
    network: values.network === "true",
    runs: before.runs.map((_, at) => ({
      command: values[`command ${at}`] ?? "",
      seconds: measuredFigure(values[`seconds ${at}`] ?? "", "seconds"),
    })),
  };
}

function fieldsOf({ event, matcher, action, entry, runs }: HookDraft, isNew: boolean): (Field | false)[] {
  const [byMatcher, isCommand, isShared] = [matcher !== null, action === "command", runs.length > 1];
  const whens: Choice[] = isNew ? choicesOf(events) : [[event, i18n._(events[event])]];
  return [
    { key: "event", label: t`When`, kind: "choice", choices: whens },
    byMatcher && {
      key: "matcher",
      label: isOfCall(event) ? t`Tools, as a regular expression` : t`Kind`,
      kind: "code",
      placeholder: t`all, if empty`,
    },
    !byMatcher && linesField("tools", t`Tools`, t`edit_file, one per line; all, if empty`),
    !byMatcher && linesField("paths", t`Files`, t`src/**, one per line; all, if empty`),
    !byMatcher && linesField("commands", t`Commands`, t`git push*, one per line; all, if empty`),
    !("hooks" in entry) && { key: "action", label: t`Action`, kind: "choice", choices: choicesOf(actions) },
    ...(isCommand ? runs : []).flatMap((_, at): Field[] => [
      {
        key: `command ${at}`,
        label: isShared ? t`Command ${at + 1}` : t`Command`,
        kind: "code",
        required: true,
        placeholder: t`cargo fmt`,
      },
      {
        key: `seconds ${at}`,
        label: isShared ? t`Time limit of ${at + 1}` : t`Time limit`,
        placeholder: t`1 min, at most 10 min`,
      },
    ]),
    isCommand && { key: "network", label: t`Allow network access`, kind: "check" },
    !isCommand && linesField("text", t`Text`, t`What is told`),
    { key: "name", label: t`Name`, placeholder: t`the command, if empty` },
  ];
}

const choicesOf = (words: Readonly<Record<string, MessageDescriptor>>): Choice[] =>
  Object.entries(words).map(([value, word]) => [value, i18n._(word)]);

type TestProps = { hook: HookEntry; folder: string; onClose: () => void };

/** Tries what would happen: the hooks of the event run as in a run, but nothing is recorded or changed. */
export function HookTest({ hook, folder, onClose }: TestProps) {
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
