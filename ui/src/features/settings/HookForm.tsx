import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { ErrorNote } from "../../components/ErrorNote";
import { withDot } from "../../components/typed_number";
import type { CommandError, HookActionKind, HookEntry, HookEvent } from "../../protocol/generated";
import { type HookDraft, isOfCall, newHook, readHook, writeHook } from "../../protocol/hook_entries";
import { EntryForm } from "./EntryForm";
import { ChoiceRow, LinesRow, TextRow } from "./FormRows";
import { actions, events } from "./hook_words";
import type { Change } from "./use_settings";
import "../../components/checks.css";

type Props = {
  /** Null for a new one. */
  hook: HookEntry | null;
  onChange: Change;
  onClose: () => void;
};

export function HookForm({ hook, onChange, onClose }: Props) {
  const [draft, setDraft] = useState<HookDraft>(hook ? readHook(hook.event, hook.entry) : newHook());
  const [error, setError] = useState<CommandError | null>(null);
  const set = (part: Partial<HookDraft>) => setDraft((now) => ({ ...now, ...part }));
  const save = async () => {
    const runs = draft.runs.map((run) => ({ ...run, seconds: withDot(run.seconds) }));
    const text = JSON.stringify(writeHook({ ...draft, runs }));
    const failure = await onChange([
      hook?.key
        ? { key: hook.key, text, was: JSON.stringify(hook.entry) }
        : { key: `hooks.${draft.event}[]`, text, was: null },
    ]);
    setError(failure);
    if (failure === null) onClose();
  };
  const label = hook ? t`Edit ${hook.name}` : t`Add hook`;
  const isShared = draft.runs.length > 1;
  const isOwnForm = !("hooks" in draft.entry);
  return (
    <EntryForm label={label} save={t`Save hook`} onSave={() => void save()} onCancel={onClose}>
      {hook === null ? (
        <ChoiceRow
          label={t`When`}
          value={draft.event}
          onChange={(word) => {
            const event = word as HookEvent;
            set({ event, matcher: isOfCall(event) ? null : "" });
          }}
        >
          {Object.entries(events).map(([event, words]) => (
            <option key={event} value={event}>
              {i18n._(words)}
            </option>
          ))}
        </ChoiceRow>
      ) : (
        <p className="secondary">{i18n._(events[draft.event])}</p>
      )}
      <Which draft={draft} set={set} />
      {isOwnForm && (
        <ChoiceRow
          label={t`Action`}
          value={draft.action}
          onChange={(word) => set({ action: word as HookActionKind })}
        >
          {Object.entries(actions).map(([action, words]) => (
            <option key={action} value={action}>
              {i18n._(words)}
            </option>
          ))}
        </ChoiceRow>
      )}
      {draft.action === "command" ? (
        <Commands draft={draft} set={set} />
      ) : (
        <LinesRow
          label={t`Text`}
          placeholder={t`What is told`}
          value={draft.text}
          onChange={(text) => set({ text })}
        />
      )}
      <TextRow
        label={t`Name`}
        value={draft.name}
        placeholder={t`the command, if empty`}
        onChange={(name) => set({ name })}
      />
      {isShared && <p className="small secondary">{t`These commands share an entry in your file.`}</p>}
      {error && <ErrorNote error={error} />}
    </EntryForm>
  );
}

type Part = { draft: HookDraft; set: (part: Partial<HookDraft>) => void };

/** Which calls, or which kind of the event, it is for. */
function Which({ draft, set }: Part) {
  if (draft.matcher !== null)
    return (
      <TextRow
        label={isOfCall(draft.event) ? t`Tools, as a regular expression` : t`Kind`}
        mono
        value={draft.matcher}
        placeholder={t`all, if empty`}
        onChange={(matcher) => set({ matcher })}
      />
    );
  return (
    <>
      <LinesRow
        label={t`Tools`}
        placeholder={t`edit_file, one per line; all, if empty`}
        value={draft.tools}
        onChange={(tools) => set({ tools })}
      />
      <LinesRow
        label={t`Files`}
        placeholder={t`src/**, one per line; all, if empty`}
        value={draft.paths}
        onChange={(paths) => set({ paths })}
      />
      <LinesRow
        label={t`Commands`}
        placeholder={t`git push*, one per line; all, if empty`}
        value={draft.commands}
        onChange={(commands) => set({ commands })}
      />
    </>
  );
}

function Commands({ draft, set }: Part) {
  const change = (place: number, part: Partial<HookDraft["runs"][number]>) =>
    set({ runs: draft.runs.map((run, at) => (at === place ? { ...run, ...part } : run)) });
  return (
    <>
      {draft.runs.map((run, place) => (
        // They keep their order while the form is open.
        <div key={place} className="hook-run">
          <TextRow
            label={draft.runs.length > 1 ? t`Command ${place + 1}` : t`Command`}
            mono
            required
            value={run.command}
            placeholder={t`cargo fmt`}
            onChange={(command) => change(place, { command })}
          />
          <TextRow
            label={draft.runs.length > 1 ? t`Seconds for ${place + 1}` : t`Seconds`}
            value={run.seconds}
            placeholder={t`60, at most 600`}
            onChange={(seconds) => change(place, { seconds })}
          />
        </div>
      ))}
      <label className="choice">
        <Trans>
          <input
            type="checkbox"
            checked={draft.network}
            onChange={(event) => set({ network: event.target.checked })}
          />
          Allow network access
        </Trans>
      </label>
    </>
  );
}
