/** The commands of the palette, the map and the keys, for what the window shows right now. */
import { createContext, useContext, useMemo, useState } from "react";
import { keysOf } from "../components/command_keys";
import { focusElicitation } from "../features/conversation/elicitation_focus";
import { stepMessage } from "../features/conversation/own_messages";
import type { WaitingKind } from "../features/inbox/waiting";
import { useApprovals, useArki, useCatalogue, useQuestions, useWaiting } from "../platform/context";
import type { ApprovalMode, HistorySource, SessionState } from "../protocol/generated";
import { decidedIn, isUnfinished } from "../protocol/sessions";
import { commandsOf, type Draft, draftsOf, useKeys } from "./commands";
import { useOwnShortcuts } from "./own_shortcuts";
import { useZoom } from "./theme";
import type { Window } from "./use_window";
import { nextWaiting, useOnAsked } from "./window_state";

/** States from which a run can go on. */
const resumable: readonly SessionState[] = ["paused", "interrupted", "failed"];

/** As many recent folders as the welcome lists. */
const mostRecent = 8;

/** What differs of the palette's commands where the window is shown. */
export type Offered = {
  /** By its id. */
  isOffered: (id: string) => boolean;
  /** Those that only this place has. */
  ownDrafts: () => readonly Draft[];
};

export const everyCommand: Offered = { isOffered: () => true, ownDrafts: () => [] };

export const OfferedContext = createContext(everyCommand);

export type Actions = ReturnType<typeof useActions>;

/** Every action that can be taken from anywhere. */
function useActions(window: Window) {
  const { panes, selected, setDialog, place, openPlace } = window;
  return {
    ...useRunActions(window),
    ...historyActions(window),
    ...placeActions(window),
    ...useZoom(),
    /** Null where there is nothing to go to, as everything that can't be done right now. */
    back: window.back,
    forward: window.forward,
    openFolder: window.folder.chooseFolder,
    openRecent: window.folder.open,
    newSession: window.newSession,
    newWindow: () => window.history.open("open_window", { sessionId: null }),
    review: selected ? panes.showChanges : null,
    reviewMode: selected && place === null ? panes.toggleReview : null,
    timeline: selected ? () => panes.show("timeline") : null,
    plan: selected ? () => panes.show("plan") : null,
    context: () => panes.show("context"),
    processes: () => panes.show("processes"),
    focusMessage: window.focusMessage,
    /** To another message of the user in the transcript. */
    stepMessage: selected && place === null ? stepMessage : null,
    find: selected && place === null ? window.find : null,
    replay: selected ? window.replay : null,
    toggleSidebar: () => panes.setSidebar(!panes.sidebar),
    filterSessions: () => {
      panes.setSidebar(true);
      setTimeout(() => window.filter.current?.focus(), 0);
    },
    toggleInspector: place === null ? () => panes.setInspector(!panes.inspector) : null,
    settings: () => setDialog("settings"),
    palette: () => setDialog("palette"),
    keys: () => setDialog("keys"),
    inboxList: () => openPlace("inbox"),
    memory: () => openPlace("memory"),
    pipelines: () => openPlace("pipelines"),
    usage: () => openPlace("usage"),
    trust: window.project ? () => setDialog("trust") : null,
    theme: window.look.onTheme,
    model: window.setModel,
    mode: (mode: ApprovalMode) => window.setMode(mode),
  };
}

export function useCommands(window: Window) {
  const { models } = useCatalogue();
  const { setDialog } = window;
  const actions = useActions(window);
  const others = window.app?.recentProjects.filter((path) => path !== window.shown?.folder) ?? [];
  const { isOffered, ownDrafts } = useContext(OfferedContext);
  const every = draftsOf(actions, models, others.slice(0, mostRecent));
  const drafts = [...every.filter(({ id }) => isOffered(id)), ...ownDrafts()];
  const [choices, choose] = useOwnShortcuts();
  const ids = JSON.stringify(drafts.map(({ id }) => id));
  // The same one as long as the keys are: every button reads it.
  const keys = useMemo(() => keysOf(JSON.parse(ids), choices), [ids, choices]);
  const commands = commandsOf(drafts, keys);
  const [heardByMenu, setHeardByMenu] = useState<readonly string[]>([]);
  const isBusy = window.dialog !== null || window.history.asking !== null;
  const heardHere = useMemo(
    () => commands.filter(({ id }) => !heardByMenu.includes(id)),
    [commands, heardByMenu],
  );
  useKeys(heardHere, isBusy);
  useOnAsked((asked) => {
    setDialog(null);
    window.history.setAsking(null);
    if (asked.type === "session") return window.go(asked.sessionId);
    commands.find(({ id }) => id === asked.id)?.run();
  });
  const menus = { drafts, keys, isBusy, onHeard: setHeardByMenu };
  return { commands, actions, keys, menus, shortcuts: { bindings: drafts, choices, choose } };
}

/** Goes to where something is decided, with the keyboard on it. */
export function leadTo({ panes, go, history }: Window, sessionId: string, kind: WaitingKind) {
  if (kind === "question") return history.showQuestion(sessionId);
  go(sessionId);
  if (kind === "form") return focusElicitation();
  panes.review();
}

function useRunActions(window: Window) {
  const { shown, selected, session, history, replaying } = window;
  const arki = useArki();
  const approvals = useApprovals();
  const questions = useQuestions();
  const waiting = useWaiting();
  const state = session?.state ?? null;
  const tell = (name: "stop_run" | "pause_run") => () => {
    if (selected !== null) void arki.platform.call(name, { sessionId: selected }).catch(() => undefined);
  };
  const begin = (name: "resume_run" | "send_next") => () => {
    if (shown !== null) void arki.platform.call(name, { of: shown }).catch(() => undefined);
  };
  const queued = () => (selected === null ? 0 : arki.session(selected).overview.state.get().queue.length);
  const editLast = (sessionId: string) => () => {
    const { items } = arki.session(sessionId).view.get().transcript;
    const last = items.findLast((item) => item.kind === "user" && !item.takenBack && !item.isTask);
    if (last?.kind === "user") history.edit(sessionId, last.seq - 1, last.text);
  };
  const inbox = () => {
    const isIn = (sessionId: string | null) => (one: { sessionId: string }) =>
      decidedIn(arki.sessions.get(), one.sessionId) === sessionId;
    // Who isn't at the one that is shown goes there first; the inbox's button leads on at each press.
    const isAway = !document.activeElement?.closest(".changes, .sessions-inbox");
    const next = isAway && approvals.some(isIn(selected)) ? selected : nextWaiting(waiting, selected);
    if (next === null) return;
    const decided = isIn(next);
    if (approvals.some(decided)) return leadTo(window, next, "approval");
    leadTo(window, next, questions.some(decided) ? "question" : "form");
  };
  return {
    stop: state !== null && isUnfinished(state) ? tell("stop_run") : null,
    pause: state === "running" ? tell("pause_run") : null,
    resume: state !== null && resumable.includes(state) ? begin("resume_run") : null,
    sendNext: state !== null && !isUnfinished(state) && queued() > 0 ? begin("send_next") : null,
    /** The last message of the user. */
    editLast: selected === null || replaying ? null : editLast(selected),
    inbox: waiting.length > 0 ? inbox : null,
  };
}

/** With the folder that is shown, outside of the window. */
function placeActions({ shown, unavailable, focusMessage, history: { open, putDraft } }: Window) {
  if (shown === null || unavailable)
    return { commit: null, openInEditor: null, showInFolder: null, openTerminal: null };
  const { folder, sessionId } = shown;
  return {
    // The user may add what belongs into it; the command and its message are asked about like any other.
    commit: () => {
      putDraft(sessionId, "/commit ");
      focusMessage();
    },
    openInEditor: () => open("open_in_editor", { folder, path: null }),
    showInFolder: () => open("show_in_folder", { folder, path: null }),
    openTerminal: () => open("open_terminal", { folder }),
  };
}

function historyActions({ shown, selected, session, history, rename }: Window) {
  const of = (act: (sessionId: string) => void) => (selected === null ? null : () => act(selected));
  return {
    newWorktree: shown && (() => history.setAsking({ about: "worktree", folder: shown.folder })),
    /** In a window of its own. */
    openApart: of((sessionId) => history.open("open_window", { sessionId })),
    copyLink: of(history.copyLink),
    fork: of((sessionId) => history.fork(sessionId, null, null)),
    compact: of((sessionId) => history.setAsking({ about: "compact", sessionId })),
    exportAs: selected === null ? null : history.keep,
    importSessions: history.bring,
    /** What another agent has kept of the folder that is shown, or of all where none is. */
    importFrom: (agent: HistorySource) => history.bringFrom(agent, shown?.folder ?? null),
    /** Null without a session; whether it is so already decides the words. */
    pin: session && {
      isOn: session.pinned,
      toggle: () => history.mark(session.sessionId, { pinned: !session.pinned, archived: null }),
    },
    archive: session && {
      isOn: session.archived,
      toggle: () => history.mark(session.sessionId, { pinned: null, archived: !session.archived }),
    },
    renameSession: of(() => rename()),
    sessionSettings: of((sessionId) => history.setAsking({ about: "settings", sessionId })),
    deleteSession: of((sessionId) => history.setAsking({ about: "delete", sessionId })),
  };
}
