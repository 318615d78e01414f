/** Puts the features together. They do not know each other: what one asks of another goes through here. */
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { t } from "@lingui/core/macro";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { CommandKeysContext, ShortcutsContext } from "../components/command_keys";
import type { Command } from "../components/commands";
import { direction } from "../components/direction";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { fetchParts } from "../components/lazily";
import { lookForFonts } from "../components/markdown/fonts";
import { isModalOpen } from "../components/modal";
import { OpenRulesContext } from "../components/why/open_rules";
import { focusElicitation } from "../features/conversation/elicitation_focus";
import { Sessions } from "../features/sessions/Sessions";
import { StatusBar } from "../features/status/StatusBar";
import { useArki } from "../platform/context";
import { useStore } from "../platform/stores/store";
import { Columns } from "./Columns";
import type { Actions } from "./commands";
import { useDailyUpdate } from "./daily_update";
import { locales, useLocale } from "./locale";
import { MainPane } from "./MainPane";
import {
  GateApproval,
  HistoryDialogs,
  InboxDialog,
  Inspector,
  InspectorRail,
  KeyboardMap,
  MemoryDialog,
  NativeMenus,
  Palette,
  PipelinesDialog,
  RowMenu,
  SettingsDialog,
  TrustDialog,
  UsageDialog,
} from "./parts";
import { leadTo, useCommands } from "./use_commands";
import { useWindow, type Window } from "./use_window";
import type { OpenDialog } from "./window_state";
import "./app.css";

/** The first page of the session is drawn by then. */
const restAfterMs = 400;

export function App() {
  const window = useWindow();
  const locale = useLocale();
  const { commands, actions, keys, menus, shortcuts } = useCommands(window);
  const { panes, selected, history, setDialog } = window;
  const openRules = useCallback(() => setDialog("rules"), [setDialog]);
  const asked = window.dialog !== null || history.asking !== null;
  useEscapeFromNowhere(asked ? null : window.stepOut);
  useFreshOnReturn();
  useTheRest();
  useDailyUpdate();
  const sidebar = panes.sidebar ? (
    <ErrorBoundary part={t`The list of sessions`}>
      <Sessions
        folder={window.shown?.folder ?? null}
        selected={selected}
        filterRef={window.filter}
        renaming={window.renaming}
        onRenaming={window.setRenaming}
        onSelect={window.go}
        onMark={history.mark}
        menuOf={(of) => <RowMenu {...of} history={history} onRename={window.setRenaming} />}
        onNew={window.newSession}
        onOpenFolder={actions.openFolder}
        onInbox={() => (actions.inbox ?? actions.inboxList)()}
        onInboxList={actions.inboxList}
        onMemory={actions.memory}
        onPipelines={actions.pipelines}
        onSettings={actions.settings}
      />
    </ErrorBoundary>
  ) : null;
  const inspector = panes.inspector ? (
    <ErrorBoundary part={t`The inspector`} about={selected}>
      <Inspector
        shown={window.shown}
        tab={panes.tab}
        onTab={panes.setTab}
        focusRequest={panes.focusRequest}
        reviewMode={{ isOn: panes.columns.review.isOn, toggle: panes.toggleReview }}
        history={history}
        replaying={window.replaying}
        onClose={panes.columns.inspector.floats ? () => panes.setInspector(false) : null}
      />
    </ErrorBoundary>
  ) : null;
  const rail =
    // A session that has not begun has nothing to lead to.
    selected === null || panes.inspector || panes.columns.inspector.floats ? null : (
      <InspectorRail
        onTab={(tab) => {
          panes.show(tab);
          focusTab();
        }}
      />
    );
  return (
    <DirectionProvider direction={direction()}>
      <CommandKeysContext value={keys}>
        <ShortcutsContext value={shortcuts}>
          <OpenRulesContext value={openRules}>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape leads one step out, from anywhere */}
            <div
              className="app"
              onKeyDown={(event) => {
                const escaped = event.key === "Escape" && !event.nativeEvent.isComposing;
                if (escaped && !event.defaultPrevented && !asked && !isModalOpen()) window.stepOut();
              }}
            >
              {/* What is drawn only when it says something else is drawn anew with another language. */}
              <Columns
                key={locale}
                sidebarPane={panes.columns.sidebar}
                inspectorPane={panes.columns.inspector}
                review={panes.columns.review}
                onScrim={window.stepOut}
                sidebar={sidebar}
                main={
                  <ErrorBoundary part={t`The conversation`} about={selected}>
                    <MainPane window={window} />
                  </ErrorBoundary>
                }
                inspector={inspector}
                rail={rail}
                status={
                  <ErrorBoundary part={t`The status bar`} about={selected}>
                    <Status window={window} actions={actions} />
                  </ErrorBoundary>
                }
              />
              <NativeMenus {...menus} />
              <ErrorBoundary part={t`A dialog`} about={window.dialog}>
                <Dialogs window={window} commands={commands} />
              </ErrorBoundary>
              <ErrorBoundary part={t`A dialog`} about={history.asking}>
                {history.asking && <HistoryDialogs window={window} />}
              </ErrorBoundary>
            </div>
          </OpenRulesContext>
        </ShortcutsContext>
      </CommandKeysContext>
    </DirectionProvider>
  );
}

/** The rail that had the focus is gone by then. */
function focusTab() {
  setTimeout(() => {
    document.querySelector<HTMLElement>(".inspector [role=tab][aria-selected=true]")?.focus();
  }, 0);
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

/** The user's first content is there: what they may ask for next is fetched meanwhile. */
function useTheRest() {
  const arki = useArki();
  const ready = useStore(arki.ready);
  useEffect(() => {
    if (!ready) return;
    requestAnimationFrame(() => performance.mark("arki.usable"));
    const soon = setTimeout(() => {
      void arki.refreshMemory();
      void fetchParts().then(() => lookForFonts(arki.platform.painted));
    }, restAfterMs);
    return () => clearTimeout(soon);
  }, [arki, ready]);
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

function Status({ window, actions }: { window: Window; actions: Actions }) {
  const { commit, openInEditor, showInFolder, openTerminal } = actions;
  const places = commit &&
    openInEditor &&
    showInFolder &&
    openTerminal && {
      onCommit: commit,
      onEditor: openInEditor,
      onReveal: showInFolder,
      onTerminal: openTerminal,
    };
  return (
    <StatusBar
      shown={window.shown}
      model={window.model}
      onTrust={() => window.setDialog("trust")}
      onContext={() => window.panes.show("context")}
      onUsage={() => window.setDialog("usage")}
      onUpdate={() => window.setDialog("updates")}
      places={places}
      session={window.session}
      onResume={actions.resume}
    />
  );
}

/** What the settings show first, for each dialog that they are. */
const settingsPages: { [dialog in NonNullable<OpenDialog>]?: "models" | "rules" | "memory" | "desktop" } = {
  settings: "models",
  rules: "rules",
  reflection: "memory",
  updates: "desktop",
};

function Dialogs({ window, commands }: { window: Window; commands: Command[] }) {
  const { dialog, project } = window;
  const close = () => window.setDialog(null);
  const first = dialog === null ? undefined : settingsPages[dialog];
  return (
    <>
      <Once when={project !== null && dialog === "trust"}>
        {project && <TrustDialog project={project} open={dialog === "trust"} onClose={close} />}
      </Once>
      <Once when={first !== undefined}>
        <SettingsDialog
          open={first !== undefined}
          onClose={close}
          first={first ?? "models"}
          keyOf={window.keyOf}
          folder={window.project?.path ?? null}
          onReviewMemory={() => window.setDialog("memory")}
          onCall={(call) => {
            close();
            window.history.show(call.sessionId, call.seq, call.project);
          }}
          nextFocus={window.message}
          theme={window.theme}
          onTheme={window.setTheme}
          textSize={window.textSize}
          onTextSize={window.setTextSize}
          language={window.language}
          languages={locales}
          onLanguage={window.setLanguage}
        />
      </Once>
      <Once when={dialog === "memory"}>
        <MemoryDialog
          folder={window.shown?.folder ?? null}
          open={dialog === "memory"}
          onClose={close}
          onSession={(sessionId) => {
            close();
            window.go(sessionId);
          }}
          onSettings={() => window.setDialog("reflection")}
        />
      </Once>
      <Once when={dialog === "pipelines"}>
        <PipelinesDialog
          folder={window.shown?.folder ?? null}
          open={dialog === "pipelines"}
          onClose={close}
          onSession={(sessionId) => {
            close();
            window.go(sessionId);
          }}
          gate={(approval) => <GateApproval approval={approval} />}
        />
      </Once>
      <Once when={dialog === "inbox"}>
        <InboxDialog
          open={dialog === "inbox"}
          onClose={close}
          onGo={({ sessionId, kind, project }) => {
            if (sessionId !== null) return leadTo(window, sessionId, kind);
            if (window.shown?.folder !== project) window.folder.open(project);
            focusElicitation();
          }}
        />
      </Once>
      <Once when={dialog === "usage"}>
        <UsageDialog open={dialog === "usage"} onClose={close} />
      </Once>
      <Once when={dialog === "palette"}>
        <Palette
          open={dialog === "palette"}
          onClose={close}
          commands={commands}
          folder={window.shown?.folder ?? null}
          onFile={(path) =>
            window.history.open("open_in_editor", { folder: window.shown?.folder ?? "", path })
          }
          onSession={window.go}
          onHit={(hit) => window.history.show(hit.sessionId, hit.seq, hit.project)}
        />
      </Once>
      <Once when={dialog === "keys"}>
        <KeyboardMap open={dialog === "keys"} onClose={close} />
      </Once>
    </>
  );
}

/** There from the first time on: a dialog that was never open is not even fetched, and one that closes can say so. */
function Once({ when, children }: { when: boolean; children: ReactNode }) {
  const [been, setBeen] = useState(when);
  if (when && !been) setBeen(true);
  return been ? children : null;
}
