/** Puts the features together. They do not know each other: what one asks of another goes through here. */
import { useEffect } from "react";
import type { Command } from "../components/commands";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { KeyboardMap } from "../features/palette/KeyboardMap";
import { localKeys } from "../features/palette/local_keys";
import { Palette } from "../features/palette/Palette";
import { Sessions } from "../features/sessions/Sessions";
import { SettingsDialog } from "../features/settings/SettingsDialog";
import { StatusBar } from "../features/status/StatusBar";
import { TrustDialog } from "../features/trust/TrustDialog";
import { useArki } from "../platform/context";
import { Columns } from "./Columns";
import { HistoryDialogs } from "./HistoryDialogs";
import { Inspector } from "./Inspector";
import { MainPane } from "./MainPane";
import { useCommands } from "./use_commands";
import { useWindow, type Window } from "./use_window";
import "./app.css";

export function App() {
  const window = useWindow();
  const { commands, actions } = useCommands(window);
  const { panes, selected, history } = window;
  const asked = window.dialog !== null || history.asking !== null;
  useEscapeFromNowhere(asked ? null : window.stepOut);
  useFreshOnReturn();
  const sidebar = panes.sidebar ? (
    <ErrorBoundary part="The list of sessions">
      <Sessions
        selected={selected}
        filterRef={window.filter}
        onSelect={window.go}
        onNew={window.newSession}
        onOpenFolder={actions.openFolder}
        onInbox={() => actions.inbox?.()}
        onSettings={actions.settings}
      />
    </ErrorBoundary>
  ) : null;
  const inspector = panes.inspector ? (
    <ErrorBoundary part="The inspector" about={selected}>
      <Inspector
        sessionId={selected}
        tab={panes.tab}
        onTab={panes.setTab}
        focusRequest={panes.focusRequest}
        history={history}
        onClose={panes.room === "three" ? null : () => panes.setInspector(false)}
      />
    </ErrorBoundary>
  ) : null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape leads one step out, from anywhere
    <div
      className="app"
      onKeyDown={(event) => {
        const escaped = event.key === "Escape" && !event.nativeEvent.isComposing;
        if (escaped && !event.defaultPrevented && !asked) window.stepOut();
      }}
    >
      <Columns
        room={panes.room}
        onScrim={window.stepOut}
        sidebar={sidebar}
        main={
          <ErrorBoundary part="The conversation" about={selected}>
            <MainPane window={window} />
          </ErrorBoundary>
        }
        inspector={inspector}
        status={
          <ErrorBoundary part="The status bar" about={selected}>
            <Status window={window} resume={actions.resume} />
          </ErrorBoundary>
        }
      />
      <ErrorBoundary part="A dialog" about={window.dialog}>
        <Dialogs window={window} commands={commands} />
      </ErrorBoundary>
      <ErrorBoundary part="A dialog" about={history.asking}>
        <HistoryDialogs history={history} />
      </ErrorBoundary>
    </div>
  );
}

/** What other processes did while nobody looked, such as dying in the middle of a run, is told by no event. */
function useFreshOnReturn() {
  const arki = useArki();
  useEffect(() => {
    const onFocus = () => {
      void Promise.all([arki.refreshSessions(), arki.refreshApprovals()]).catch(() => undefined);
    };
    window.addEventListener("focus", onFocus);
    return () => window.removeEventListener("focus", onFocus);
  }, [arki]);
}

/** Where nothing has the focus, keys reach the page alone. */
function useEscapeFromNowhere(stepOut: (() => void) | null) {
  useEffect(() => {
    if (stepOut === null) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && event.target === document.body && !event.defaultPrevented) stepOut();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [stepOut]);
}

function Status({ window, resume }: { window: Window; resume: (() => void) | null }) {
  return (
    <StatusBar
      sessionId={window.selected}
      model={window.model}
      onModel={window.setModel}
      mode={window.mode}
      onMode={window.setMode}
      onTrust={() => window.setDialog("trust")}
      session={window.session}
      onResume={resume}
    />
  );
}

function Dialogs({ window, commands }: { window: Window; commands: Command[] }) {
  const { dialog, project } = window;
  const close = () => window.setDialog(null);
  return (
    <>
      {project && <TrustDialog project={project} open={dialog === "trust"} onClose={close} />}
      <SettingsDialog
        open={dialog === "settings"}
        onClose={close}
        theme={window.theme}
        onTheme={window.setTheme}
      />
      <Palette
        open={dialog === "palette"}
        onClose={close}
        commands={commands}
        onHit={(hit) => window.history.show(hit.sessionId, hit.seq)}
      />
      <KeyboardMap open={dialog === "keys"} onClose={close} commands={commands} local={localKeys} />
    </>
  );
}
