/** What a session's next run begins with: model, effort, core, prompt and tools, each with where it comes from. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { useEffect, useId, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { type Choice, FieldRow, LabelledRow, modelChoices } from "../../components/form/Fields";
import { List } from "../../components/List";
import { useArki, useCatalogue, useSessions } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type {
  AgentState,
  CommandError,
  NextRequest,
  SessionChanges,
  SessionToolEntry,
} from "../../protocol/generated";
import { isUnfinished } from "../../protocol/sessions";
import { PromptRow } from "./PromptRow";
import "./session_settings.css";

type Props = {
  folder: string;
  sessionId: string;
  /** The model that the message box sends with each message; null where it sends none. */
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
  const rows = (next: Told) => (
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
    </>
  );
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
            ? t`Changes apply from this session's next run, and to its forks. The current run keeps its settings.`
            : t`Changes apply from this session's next run, and to its forks.`}
        </p>
        {error && <ErrorNote error={error} />}
        {next ? (
          <>
            {rows(next)}
            <StateSection state={kept} />
          </>
        ) : (
          // As high as what comes in its place, so that the dialog opens at its size.
          !error && (
            <div className="session-settings to-come" aria-hidden inert>
              {rows(untold)}
            </div>
          )
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

/** What the rows are drawn from. */
type Told = Pick<NextRequest, "settings" | "configured">;

const untold: Told = {
  settings: { model: null, effort: null, core: null, system: null },
  configured: { model: "", effort: null, core: "", cores: [], system: null },
};

type RowProps = { next: Told; onChange: (value: string) => void };

function ModelRow({ next: { settings, configured }, sentModel, onSendNoModel, onChange }: RowProps & Props) {
  const { models } = useCatalogue();
  const own = settings.model ?? "";
  const isUnknown = own !== "" && !models.some((one) => one.id === own);
  const asConfigured: Choice = ["", t`As configured (${configured.model})`];
  return (
    <FieldRow
      field={{
        key: "model",
        label: t`Model`,
        kind: "choice",
        choices: [asConfigured, ...(isUnknown ? [own] : []), ...modelChoices(models)],
        about:
          sentModel === null ? (
            sourceOf(settings.model)
          ) : (
            <>
              <span className="attention">{t`The message box sends ${sentModel} with each message instead.`}</span>{" "}
              <Button small look="quiet" onClick={onSendNoModel}>
                {t`Use this one`}
              </Button>
            </>
          ),
      }}
      value={own}
      onChange={onChange}
    />
  );
}

/** As the engine knows them. */
const efforts = ["minimal", "low", "medium", "high"];

function EffortRow({ next: { settings, configured }, onChange }: RowProps) {
  const { effort } = configured;
  const isUnset = settings.effort === null && effort === null;
  return (
    <FieldRow
      field={{
        key: "effort",
        label: t`Reasoning effort`,
        kind: "choice",
        choices: [["", effort === null ? t`As the model decides` : t`As configured (${effort})`], ...efforts],
        about: isUnset ? t`Not configured: the model decides.` : sourceOf(settings.effort),
      }}
      value={settings.effort ?? ""}
      onChange={onChange}
    />
  );
}

/** What is known of cores beside their names. */
const coreWords: Readonly<Record<string, MessageDescriptor>> = {
  "tool-loop": msg`tool-loop: acts step by step`,
  pes: msg`pes: plans first`,
};

function CoreRow({ next: { settings, configured }, onChange }: RowProps) {
  const cores = configured.cores.map(
    (core): Choice => [core, coreWords[core] ? i18n._(coreWords[core]) : core],
  );
  return (
    <FieldRow
      field={{
        key: "core",
        label: t`How the agent works`,
        kind: "choice",
        choices: [["", t`As configured (${configured.core})`], ...cores],
        about: sourceOf(settings.core),
      }}
      value={settings.core ?? ""}
      onChange={onChange}
    />
  );
}

function ToolsRow({ tools, onTools }: { tools: readonly SessionToolEntry[]; onTools: () => void }) {
  const off = tools.filter((tool) => !tool.enabled).length;
  const all = plural(tools.length, { one: "# tool", other: "# tools" });
  const [id, about] = [useId(), useId()];
  return (
    <LabelledRow
      id={id}
      aboutId={about}
      label={t`Tools`}
      about={
        off === 0
          ? t`From the configuration: all are on.`
          : t`Set for this session: ${off} of ${all} are off.`
      }
    >
      <div>
        <Button id={id} aria-describedby={about} label={t`Choose tools…`} onClick={onTools}>
          {t`Choose tools…`}
        </Button>
      </div>
    </LabelledRow>
  );
}

/** What the session keeps across its runs; nothing where it keeps nothing. */
function StateSection({ state }: { state: AgentState }) {
  const title = useId();
  if (Object.keys(state).length === 0) return null;
  return (
    <section className="settings-row" aria-labelledby={title}>
      <h3 id={title}>{t`State`}</h3>
      <pre className="output" tabIndex={0}>
        <VisibleText text={JSON.stringify(state, null, 2)} />
      </pre>
      <p className="small secondary row-about">{t`What the agent and its tools keep across runs. The model doesn't see it.`}</p>
    </section>
  );
}

const sourceOf = (own: string | null) =>
  own === null ? t`From the configuration.` : t`Set for this session.`;

/** The next request says what holds from the next run on. */
type Known = {
  next: NextRequest | null;
  tools: readonly SessionToolEntry[];
  state: AgentState;
  error: CommandError | null;
};

const unchanged: SessionChanges = { model: null, effort: null, core: null, system: null, on: [], off: [] };

/** A session's settings, and changing them: an empty text is as configured again. */
function useSessionSettings(folder: string, sessionId: string) {
  const { platform } = useArki();
  const [known, setKnown] = useState<Known>({ next: null, tools: [], state: {}, error: null });
  useEffect(() => {
    let isShown = true;
    const told = (part: Partial<Known>) => isShown && setKnown((now) => ({ ...now, ...part }));
    const failed = (thrown: unknown) => told({ error: asCommandError(thrown) });
    platform.call("next_request", { of: { folder, sessionId } }).then((next) => told({ next }), failed);
    platform.call("session_tools", { sessionId }).then((tools) => told({ tools: [...tools] }), failed);
    platform.call("get_state", { sessionId }).then((state) => told({ state }), failed);
    return () => {
      isShown = false;
    };
  }, [platform, folder, sessionId]);
  /** Resolves to whether it was changed. */
  const change = async (changes: Partial<SessionChanges>): Promise<boolean> => {
    try {
      const next = await platform.call("configure_session", {
        sessionId,
        changes: { ...unchanged, ...changes },
      });
      setKnown((now) => ({ ...now, next, error: null }));
      return true;
    } catch (thrown) {
      setKnown((now) => ({ ...now, error: asCommandError(thrown) }));
      return false;
    }
  };
  return { ...known, change };
}
