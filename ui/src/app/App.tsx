/** Puts the features together. They do not know each other: what one asks of another goes through here. */
import { PanelLeft, PanelRight } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { Button } from "../components/Button";
import { ErrorNote } from "../components/ErrorNote";
import { Conversation } from "../features/conversation/Conversation";
import { KeyboardMap } from "../features/palette/KeyboardMap";
import { localKeys } from "../features/palette/local_keys";
import { Palette } from "../features/palette/Palette";
import { Sessions } from "../features/sessions/Sessions";
import { SettingsDialog } from "../features/settings/SettingsDialog";
import { StatusBar } from "../features/status/StatusBar";
import { TrustDialog } from "../features/trust/TrustDialog";
import { Welcome } from "../features/welcome/Welcome";
import { useApp, useApprovals, useArki, useCatalogue, useSessions } from "../platform/context";
import { useStore } from "../platform/stores/store";
import type { ApprovalMode } from "../protocol/generated";
import { isActive } from "../protocol/sessions";
import { Columns } from "./Columns";
import { commandsOf, useCommandKeys } from "./commands";
import { Inspector } from "./Inspector";
import { usePane, useRoom } from "./layout_state";
import { useProject } from "./project";
import { useTheme } from "./theme";
import {
  nextWaiting,
  type OpenDialog,
  type Tab,
  useOnApproval,
  useSelection,
  useTitle,
} from "./window_state";
import "./app.css";

export function App() {
  const arki = useArki();
  const app = useApp();
  const approvals = useApprovals();
  const { models } = useCatalogue();
  const failure = useStore(arki.failure);
  const room = useRoom();
  const project = app?.project ?? null;
  const [selected, select] = useSelection(project?.path ?? null);
  const session = useSessions().find((one) => one.sessionId === selected) ?? null;
  const [tab, setTab] = useState<Tab>("changes");
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [focusRequest, setFocusRequest] = useState(0);
  const [model, setModel] = useState<string | null>(null);
  const [chosenMode, setMode] = useState<ApprovalMode | null>(null);
  const [theme, setTheme] = useTheme();
  const [sidebar, setSidebar] = usePane("sidebar", room === "one");
  const [inspector, setInspector] = usePane("inspector", room !== "three");
  const message = useRef<HTMLTextAreaElement>(null);
  const mode = chosenMode ?? app?.approvalMode ?? "ask";
  useTitle(selected);

  const { open, chooseFolder, error } = useProject({
    onOpened: () => select(null),
    onAskTrust: () => setDialog("trust"),
  });
  const focusMessage = useCallback(() => message.current?.focus(), []);
  const showInspector = useCallback(
    (next: Tab) => {
      setTab(next);
      setInspector(true);
    },
    [setInspector],
  );
  const review = useCallback(() => {
    showInspector("changes");
    setFocusRequest((now) => now + 1);
  }, [showInspector]);
  useOnApproval(
    selected,
    useCallback(() => showInspector("changes"), [showInspector]),
  );
  const go = (sessionId: string | null) => {
    select(sessionId);
    if (room === "one") setSidebar(false);
    if (room !== "three") setInspector(false);
  };
  const inbox = () => {
    go(nextWaiting(approvals, selected));
    review();
  };
  const newSession = () => {
    go(null);
    setTimeout(focusMessage, 0);
  };
  const floatOut = () => {
    if (room !== "three") setInspector(false);
    if (room === "one") setSidebar(false);
    focusMessage();
  };
  const stop =
    session && isActive(session.state)
      ? () => void arki.platform.call("stop_run", { sessionId: session.sessionId }).catch(() => undefined)
      : null;
  const commands = commandsOf(
    {
      openFolder: chooseFolder,
      newSession,
      stop,
      inbox: approvals.length > 0 ? inbox : null,
      review: selected ? review : null,
      timeline: selected ? () => showInspector("timeline") : null,
      focusMessage,
      toggleSidebar: () => setSidebar(!sidebar),
      toggleInspector: () => setInspector(!inspector),
      settings: () => setDialog("settings"),
      palette: () => setDialog("palette"),
      keys: () => setDialog("keys"),
      trust: project ? () => setDialog("trust") : null,
      theme: setTheme,
      model: setModel,
      mode: setMode,
    },
    models,
  );
  useCommandKeys(commands, dialog !== null);
  const options = useMemo(() => ({ model, approve: mode }), [model, mode]);
  const close = () => setDialog(null);
  const main = (
    <main className="conversation" aria-label="Conversation">
      <header className="main-head">
        <Button
          small
          look="quiet"
          label={sidebar ? "Hide sessions" : "Show sessions"}
          shortcut="Mod+B"
          icon={<PanelLeft size={16} aria-hidden />}
          onClick={() => setSidebar(!sidebar)}
        />
        <h2 className="cut grow" title={session?.title}>
          {project || session ? session?.title || (selected ? "Untitled session" : "New session") : ""}
        </h2>
        <Button
          small
          look="quiet"
          label={inspector ? "Hide inspector" : "Show inspector"}
          shortcut="Mod+I"
          icon={<PanelRight size={16} aria-hidden />}
          onClick={() => setInspector(!inspector)}
        />
      </header>
      {failure && (
        <div className="conversation-error">
          <ErrorNote error={failure}>
            <Button small onClick={() => void arki.start()}>
              Try again
            </Button>
          </ErrorNote>
        </div>
      )}
      {project === null && selected === null ? (
        app && <Welcome error={error} onOpenFolder={chooseFolder} onOpen={open} />
      ) : (
        <Conversation
          sessionId={selected}
          options={options}
          inputRef={message}
          onSent={(sessionId) => {
            select(sessionId);
            message.current?.focus();
          }}
          onReview={review}
          onSettings={() => setDialog("settings")}
          onOpenProject={open}
        />
      )}
    </main>
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape leads one step out, from anywhere
    <div
      className="app"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented && !event.nativeEvent.isComposing) floatOut();
      }}
    >
      <Columns
        room={room}
        onScrim={floatOut}
        sidebar={
          sidebar ? (
            <Sessions
              selected={selected}
              onSelect={go}
              onNew={newSession}
              onOpenFolder={chooseFolder}
              onInbox={inbox}
              onSettings={() => setDialog("settings")}
            />
          ) : null
        }
        main={main}
        inspector={
          inspector ? (
            <Inspector
              sessionId={selected}
              tab={tab}
              onTab={setTab}
              focusRequest={focusRequest}
              onClose={room === "three" ? null : () => setInspector(false)}
            />
          ) : null
        }
        status={
          <StatusBar
            sessionId={selected}
            model={model}
            onModel={setModel}
            mode={mode}
            onMode={setMode}
            onTrust={() => setDialog("trust")}
          />
        }
      />
      {project && <TrustDialog project={project} open={dialog === "trust"} onClose={close} />}
      <SettingsDialog open={dialog === "settings"} onClose={close} theme={theme} onTheme={setTheme} />
      <Palette open={dialog === "palette"} onClose={close} commands={commands} />
      <KeyboardMap open={dialog === "keys"} onClose={close} commands={commands} local={localKeys} />
    </div>
  );
}
