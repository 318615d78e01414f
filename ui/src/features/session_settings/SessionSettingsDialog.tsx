/** What a session's next run begins with: model, effort, core, prompt and tools, each with where it comes from. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { useId, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { contextWords } from "../../components/format";
import { useCatalogue, useSessions } from "../../platform/context";
import type { AgentState, NextRequest, SessionChanges, SessionToolEntry } from "../../protocol/generated";
import { isUnfinished } from "../../protocol/sessions";
import { PromptRow } from "./PromptRow";
import { ChoiceRow, SettingRow } from "./rows";
import { useSessionSettings } from "./useSessionSettings";
import "./session_settings.css";
import { List } from "../../components/List";

type Props = {
  folder: string;
  sessionId: string;
  /** The model that the status bar sends with each message; null where it sends none. */
  sentModel: string | null;
  onSendNoModel: () => void;
  onTools: () => void;
  onClose: () => void;
};

export function SessionSettingsDialog(props: Props) {
  const { folder, sessionId, onTools, onClose } = props;
  const { next, tools, state: kept, error, change } = useSessionSettings(folder, sessionId);
  const [saved, setSaved] = useState("");
  const state = useSessions().find((one) => one.sessionId === sessionId)?.state;
  const save = async (changes: Partial<SessionChanges>) => {
    const isSaved = await change(changes);
    setSaved(isSaved ? t`Saved. It applies from the next run.` : "");
    return isSaved;
  };
  const footer = (
    <>
      <span className="secondary small grow" role="status">
        {saved}
      </span>
      <Button look="primary" onClick={onClose}>{t`Done`}</Button>
    </>
  );
  return (
    <Dialog title={t`Session settings`} open onClose={onClose} footer={footer} wide>
      <div className="session-settings">
        <p className="secondary">
          {state !== undefined && isUnfinished(state)
            ? t`Changes apply from this session's next run, and to its forks. The current run goes on as it began.`
            : t`Changes apply from this session's next run, and to its forks.`}
        </p>
        {error && <ErrorNote error={error} />}
        {next && (
          <>
            <ModelRow {...props} next={next} onChange={(model) => void save({ model })} />
            <EffortRow next={next} onChange={(effort) => void save({ effort })} />
            <CoreRow next={next} onChange={(core) => void save({ core })} />
            <PromptRow
              sessionId={sessionId}
              own={next.settings.system}
              configured={next.configured.system}
              onSave={(system) => save({ system })}
            />
            <ToolsRow tools={tools} onTools={onTools} />
            <StateSection state={kept} />
          </>
        )}
        {next && next.warnings.length > 0 && (
          <List className="small attention" aria-label={t`Warnings`}>
            {next.warnings.map((warning) => (
              <li key={warning}>! {warning}</li>
            ))}
          </List>
        )}
      </div>
    </Dialog>
  );
}

type RowProps = { next: NextRequest; onChange: (value: string) => void };

function ModelRow({ next, sentModel, onSendNoModel, onChange }: RowProps & Props) {
  const { models } = useCatalogue();
  const { settings, configured } = next;
  const own = settings.model ?? "";
  return (
    <ChoiceRow
      label={t`Model`}
      value={own}
      onChange={onChange}
      source={
        sentModel === null ? (
          sourceOf(settings.model)
        ) : (
          <>
            <span className="attention">{t`The status bar sends ${sentModel} with each message instead.`}</span>{" "}
            <Button small look="quiet" onClick={onSendNoModel}>
              {t`Use this one`}
            </Button>
          </>
        )
      }
    >
      <option value="">{t`As configured (${configured.model})`}</option>
      {own !== "" && !models.some((one) => one.id === own) && <option value={own}>{own}</option>}
      {models.map((model) => (
        <option key={model.id} value={model.id}>
          {model.id}
          {contextWords(model) && ` (${contextWords(model)})`}
        </option>
      ))}
    </ChoiceRow>
  );
}

/** As the engine knows them. */
const efforts = ["minimal", "low", "medium", "high"];

function EffortRow({ next: { settings, configured }, onChange }: RowProps) {
  return (
    <ChoiceRow
      label={t`Reasoning effort`}
      value={settings.effort ?? ""}
      onChange={onChange}
      source={
        settings.effort === null && configured.effort === null
          ? t`Not configured: the model decides.`
          : sourceOf(settings.effort)
      }
    >
      <option value="">
        {configured.effort === null ? t`As the model decides` : t`As configured (${configured.effort})`}
      </option>
      {efforts.map((effort) => (
        <option key={effort}>{effort}</option>
      ))}
    </ChoiceRow>
  );
}

/** What is known of cores beside their names. */
const coreWords: Readonly<Record<string, MessageDescriptor>> = {
  "tool-loop": msg`tool-loop: acts step by step`,
  pes: msg`pes: plans first`,
};

function CoreRow({ next: { settings, configured }, onChange }: RowProps) {
  return (
    <ChoiceRow
      label={t`How the agent works`}
      value={settings.core ?? ""}
      onChange={onChange}
      source={sourceOf(settings.core)}
    >
      <option value="">{t`As configured (${configured.core})`}</option>
      {configured.cores.map((core) => (
        <option key={core} value={core}>
          {coreWords[core] ? i18n._(coreWords[core]) : core}
        </option>
      ))}
    </ChoiceRow>
  );
}

function ToolsRow({ tools, onTools }: { tools: readonly SessionToolEntry[]; onTools: () => void }) {
  const off = tools.filter((tool) => !tool.enabled).length;
  const all = plural(tools.length, { one: "# tool", other: "# tools" });
  return (
    <SettingRow
      label={t`Tools`}
      source={
        off === 0
          ? t`From the configuration: all are on.`
          : t`Set for this session: ${off} of ${all} are off.`
      }
    >
      {(id, about) => (
        <Button id={id} aria-describedby={about} label={t`Choose tools…`} onClick={onTools}>
          {t`Choose tools…`}
        </Button>
      )}
    </SettingRow>
  );
}

/** What the session keeps across its runs; nothing where it keeps nothing. */
function StateSection({ state }: { state: AgentState }) {
  const title = useId();
  if (Object.keys(state).length === 0) return null;
  return (
    <section className="session-setting" aria-labelledby={title}>
      <h3 id={title}>{t`State`}</h3>
      <div className="session-setting-value">
        <pre className="session-state" tabIndex={0}>
          <VisibleText text={JSON.stringify(state, null, 2)} />
        </pre>
        <p className="small secondary">{t`What the agent and its tools keep across runs. The model doesn't see it.`}</p>
      </div>
    </section>
  );
}

const sourceOf = (own: string | null) =>
  own === null ? t`From the configuration.` : t`Set for this session.`;
