/** What decides how the next message is answered: the model, its effort, and what may be done without asking. */
import { t } from "@lingui/core/macro";
import { SlidersHorizontal } from "lucide-react";
import { useModeChoices } from "../../components/approval_modes";
import { useCan } from "../../components/can";
import { useCommandKeys, withKeys } from "../../components/command_keys";
import { contextWords } from "../../components/format";
import { ChoiceMenu, SearchMenu } from "../../components/menus";
import { useArki, useCatalogue, useNextModel, useOverviewOf } from "../../platform/context";
import type { ApprovalMode, SendOptions } from "../../protocol/generated";

type Props = {
  sessionId: string | null;
  options: SendOptions;
  onModel: (model: string) => void;
  onMode: (mode: ApprovalMode) => void;
  onSettings: (sessionId: string) => void;
};

export function NextMessage({ sessionId, options, onModel, onMode, onSettings }: Props) {
  const current = useNextModel(sessionId, options.model);
  const can = useCan();
  return (
    <div className="composer-decides small secondary">
      <ModelMenu current={current} onModel={onModel} />
      {sessionId !== null && can("configure_session") && (
        <SettingsButton sessionId={sessionId} onSettings={onSettings} />
      )}
      <ModeMenu mode={options.approve} onMode={onMode} />
    </div>
  );
}

function ModeMenu({ mode, onMode }: { mode: ApprovalMode; onMode: (mode: ApprovalMode) => void }) {
  const choices = useModeChoices();
  const label = choices.find((one) => one.value === mode)?.label ?? mode;
  return (
    <ChoiceMenu
      label={t`Mode: ${label}`}
      title={t`What Arki may do without asking, from your next message on`}
      trigger={
        <span className={mode === "all" ? "status-attention" : undefined}>
          {mode === "all" ? "! " : ""}
          {label} ▾
        </span>
      }
      value={mode}
      choices={choices}
      onChoose={(value) => onMode(choices.find((one) => one.value === value)?.value ?? "ask")}
    />
  );
}

type SettingsProps = { sessionId: string; onSettings: (sessionId: string) => void };

function SettingsButton({ sessionId, onSettings }: SettingsProps) {
  const keys = useCommandKeys();
  const effort = useOverviewOf(sessionId).overview?.effort ?? null;
  return (
    <button
      type="button"
      className="status-button"
      aria-label={t`Session settings`}
      title={withKeys(t`Model, effort, prompt and tools of this session`, keys["session-settings"])}
      onClick={() => onSettings(sessionId)}
    >
      <SlidersHorizontal size={14} aria-hidden />
      {effort}
    </button>
  );
}

function ModelMenu({ current, onModel }: { current: string; onModel: (model: string) => void }) {
  const arki = useArki();
  const { models, silent } = useCatalogue();
  const windows = new Map(models.map((one) => [one.id, contextWords(one)]));
  const choice = (id: string) => ({ value: id, label: id, detail: windows.get(id) ?? undefined });
  // The chosen one first, also where nobody lists it.
  const others = [...windows.keys()].filter((id) => id !== current);
  const choices = (current === "" ? others : [current, ...others]).map(choice);
  return (
    <SearchMenu
      label={t`Model: ${current || t`none`}`}
      title={t`Model for the next message`}
      trigger={<span className="cut">{current.slice(current.indexOf("/") + 1) || t`no model`} ▾</span>}
      search={t`Search models`}
      value={current}
      choices={choices}
      onChoose={onModel}
      onOpen={() => void arki.refreshLiveModels()}
    >
      {silent.map((one) => (
        <p key={one.provider} className="search-menu-note small secondary" title={one.hint}>
          ! {one.message}
        </p>
      ))}
    </SearchMenu>
  );
}
