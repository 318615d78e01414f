/** Puts the features together. They do not know each other: what one asks of another goes through here. */
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { t } from "@lingui/core/macro";
import { useCallback, useEffect } from "react";
import { CommandKeysContext, ShortcutsContext } from "../components/command_keys";
import { direction } from "../components/direction";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { fetchParts } from "../components/lazily";
import { lookForFonts } from "../components/markdown/fonts";
import { isModalOpen } from "../components/modal";
import { Once } from "../components/Once";
import { OpenRulesContext } from "../components/why/open_rules";
import { Sessions } from "../features/sessions/Sessions";
import { StatusBar } from "../features/status/StatusBar";
import { useArki } from "../platform/context";
import { useStore } from "../platform/stores/store";
import { Columns } from "./Columns";
import { useLocale } from "./locale";
import { MainPane } from "./MainPane";
import { Dialogs, HistoryDialogs, Inspector, InspectorRail, Outside, RowMenu } from "./parts";
import { type Actions, useCommands } from "./use_commands";
import { useWindow, type Window } from "./use_window";
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
  useTheRest();
  const sidebar = panes.sidebar ? (
    <ErrorBoundary part={t`The list of sessions`}>
      <Sessions
        folder={window.shown?.folder ?? null}
        selected={selected}
        place={window.place}
        filterRef={window.filter}
        renaming={window.renaming}
        onRenaming={window.setRenaming}
        onSelect={window.go}
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
  // In a place it would be about what is not shown.
  const inspector =
    panes.inspector && window.place === null ? (
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
    // Without a change, a decision or a plan there is nothing to lead to.
    !panes.earns || window.place || panes.inspector || panes.columns.inspector.floats ? null : (
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
                // A menu's own Escape closes it alone.
                const isMenus = (event.target as Element).closest("[role=menu], [role=listbox]") !== null;
                const escaped = event.key === "Escape" && !event.nativeEvent.isComposing && !isMenus;
                if (escaped && !event.defaultPrevented && !asked && !isModalOpen()) window.stepOut();
              }}
            >
              {/* What is drawn only when it says something else is drawn anew with another language. */}
              <Columns
                key={locale}
                sidebarPane={panes.columns.sidebar}
                inspectorPane={panes.columns.inspector}
                review={
                  window.place === null
                    ? panes.columns.review
                    : { ...panes.columns.review, isOn: false, rail: null }
                }
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
              <Outside menus={menus} steps={asked ? null : window} />
              <ErrorBoundary part={t`A dialog`} about={window.dialog}>
                <Once when={window.dialog !== null}>
                  <Dialogs window={window} commands={commands} />
                </Once>
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
      onUsage={() => window.openPlace("usage")}
      onUpdate={() => window.setDialog("updates")}
      places={places}
      session={window.session}
      onResume={actions.resume}
    />
  );
}
