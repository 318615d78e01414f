/** The facts under which Arki works. Whatever can be changed is a button that changes it. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Folder, SlidersHorizontal } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useCommandKeys, withKeys } from "../../components/command_keys";
import { contextWords, homePath } from "../../components/format";
import { lazily } from "../../components/lazily";
import { ChoiceMenu, SearchMenu } from "../../components/menus";
import { useApp, useArki, useCatalogue, useFolder } from "../../platform/context";
import type {
  ApprovalMode,
  ProjectState,
  SessionOverview,
  SessionSummary,
  Shown,
} from "../../protocol/generated";
import type { PlaceActions } from "./FolderMenu";
import "./status.css";

// Not before the first content: nothing is used yet, no run is resumed, and no update known.
const Used = lazily(() => import("./Used").then((part) => part.Used));
const RunState = lazily(() => import("./RunState").then((part) => part.RunState));
const UpdateButton = lazily(() => import("./UpdateButton").then((part) => part.UpdateButton));

type Props = {
  shown: Shown | null;
  model: string | null;
  onModel: (model: string) => void;
  mode: ApprovalMode;
  onMode: (mode: ApprovalMode) => void;
  onTrust: () => void;
  onContext: () => void;
  onUsage: () => void;
  onUpdate: () => void;
  /** Null before there is a session. */
  onSettings: (() => void) | null;
  /** Null where the folder can't be opened. */
  places: PlaceActions | null;
  session: SessionSummary | null;
  /** Null where there is nothing to go on with. */
  onResume: (() => void) | null;
};

const FolderMenu = lazily(() => import("./FolderMenu").then((part) => part.FolderMenu));

const modes: { value: ApprovalMode; label: MessageDescriptor; detail: MessageDescriptor }[] = [
  {
    value: "plan",
    label: msg`plan`,
    detail: msg`Arki can only read: no edits, no commands, no network.`,
  },
  { value: "ask", label: msg`ask`, detail: msg`Arki asks before every edit and command.` },
  {
    value: "edits",
    label: msg`edits`,
    detail: msg`Arki writes edits without asking, except to protected and secret files. It asks before commands.`,
  },
  {
    value: "all",
    label: msg`all`,
    detail: msg`Arki asks for nothing. Denied actions stay denied. This window only.`,
  },
];

export function StatusBar(props: Props) {
  const { shown, model, onModel, mode, onMode, onTrust, onSettings, session, onResume } = props;
  const app = useApp();
  const own = useSessionFacts(shown?.sessionId ?? null);
  const current = model ?? own?.model ?? app?.defaultModel ?? "";
  const { models } = useCatalogue();
  const choices = modes.map((one) => ({ ...one, label: i18n._(one.label), detail: i18n._(one.detail) }));
  const words = choices.find((one) => one.value === mode)?.label ?? mode;
  return (
    <footer className="status" role="contentinfo" aria-label={t`Status`}>
      {shown && <FolderButton folder={shown.folder} onTrust={onTrust} />}
      {shown && props.places && <FolderMenu folder={shown.folder} {...props.places} />}
      <ModelMenu current={current} onModel={onModel} />
      {onSettings && <SettingsButton effort={own?.effort ?? null} onSettings={onSettings} />}
      <ChoiceMenu
        label={t`Edits: ${words}`}
        title={t`What Arki may do without asking, from your next message on`}
        trigger={
          <span className={mode === "all" ? "status-attention" : undefined}>
            <Trans>
              {mode === "all" ? "! " : ""}edits: {words} ▾
            </Trans>
          </span>
        }
        value={mode}
        choices={choices}
        onChoose={(value) => onMode(modes.find((one) => one.value === value)?.value ?? "ask")}
      />
      {session && <RunState session={session} onResume={onResume} />}
      <span className="grow" />
      {shown?.sessionId && (
        <Used
          sessionId={shown.sessionId}
          model={models.find((one) => one.id === current) ?? null}
          onContext={props.onContext}
          onUsage={props.onUsage}
        />
      )}
      <UpdateButton onUpdate={props.onUpdate} />
      {app?.sandbox && <Sandbox name={app.sandbox} />}
    </footer>
  );
}

/** What the session says for itself; null before there is one. */
function useSessionFacts(sessionId: string | null): SessionOverview | null {
  const arki = useArki();
  const store = sessionId === null ? null : arki.session(sessionId).overview.state;
  return useSyncExternalStore(store?.subscribe ?? never, () => store?.get().overview ?? null);
}

const never = () => () => undefined;

function SettingsButton({ effort, onSettings }: { effort: string | null; onSettings: () => void }) {
  const keys = useCommandKeys();
  return (
    <button
      type="button"
      className="status-button"
      aria-label={t`Session settings`}
      title={withKeys(t`Model, effort, prompt and tools of this session`, keys["session-settings"])}
      onClick={onSettings}
    >
      <SlidersHorizontal size={14} aria-hidden />
      {effort !== null && t`effort: ${effort}`}
    </button>
  );
}

function ModelMenu({ current, onModel }: { current: string; onModel: (model: string) => void }) {
  const arki = useArki();
  const { models, silent } = useCatalogue();
  const windows = new Map(models.map((one) => [one.id, contextWords(one)]));
  const choice = (id: string) => {
    const window = windows.get(id);
    return { value: id, label: id, ...(window ? { detail: window } : {}) };
  };
  // The chosen one first, also where nobody lists it.
  const others = [...windows.keys()].filter((id) => id !== current);
  const choices = (current === "" ? others : [current, ...others]).map(choice);
  return (
    <SearchMenu
      label={t`Model: ${current || t`none`}`}
      title={t`Model for the next message`}
      trigger={<span className="cut">{current || t`no model`} ▾</span>}
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

function Sandbox({ name }: { name: string }) {
  const none = name === "none";
  const words = none ? t`No sandbox: Arki asks before every command` : t`Commands run in the sandbox ${name}`;
  return (
    <span className={`status-fact status-sandbox cut ${none ? "status-attention" : ""}`} title={words}>
      {none ? t`! no sandbox` : t`sandbox: ${name}`}
    </span>
  );
}

function FolderButton({ folder, onTrust }: { folder: string; onTrust: () => void }) {
  const project = useFolder(folder);
  if (project) return <ProjectButton project={project} onTrust={onTrust} />;
  return (
    <span className="status-fact cut" title={t`${folder}: not open`}>
      {t`${homePath(folder)} · not open`}
    </span>
  );
}

function ProjectButton({ project, onTrust }: { project: ProjectState; onTrust: () => void }) {
  const standing = standingOf(project);
  // A note may be there for good, as in a folder with very many files.
  const isCalm = project.trust === "trusted" && project.changed.length === 0;
  const details = project.notices.length > 0 ? project.notices.join(" ") : t`show what trust turns on`;
  return (
    <button type="button" className="status-button" title={`${project.path}: ${details}`} onClick={onTrust}>
      <Folder size={14} aria-hidden />
      <span className="cut" dir="ltr">
        {homePath(project.path)}
      </span>
      <span className={isCalm ? "status-usual" : "status-attention"}>
        · {isCalm ? standing : `! ${standing}`}
      </span>
    </button>
  );
}

function standingOf(project: ProjectState): string {
  if (project.trust !== "trusted") return t`untrusted`;
  if (project.changed.length > 0) return t`trust changed`;
  return project.notices.length > 0 ? t`trusted, with a notice` : t`trusted`;
}
