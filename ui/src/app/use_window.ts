/** The window's own state and what can be done with it. Features ask one another for things through this. */
import { useCallback, useMemo, useRef, useState } from "react";
import { useApp, useApprovals, useArki, useFolder, useSessions, useWaiting } from "../platform/context";
import type { ApprovalMode } from "../protocol/generated";
import { decidedIn } from "../protocol/sessions";
import { useHistory } from "./history";
import { useColumns } from "./layout_state";
import { useLanguage } from "./locale";
import { useProject } from "./project";
import { useShown } from "./shown";
import { useTheme } from "./theme";
import { type OpenDialog, type Tab, useBadge, useOnApproval, useOnSession, useTitle } from "./window_state";

export type Window = ReturnType<typeof useWindow>;

export function useWindow() {
  const app = useApp();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const folder = useProject({ onAskTrust: () => setDialog("trust") });
  const { shown, unavailable, select } = useShown(folder.led);
  const project = useFolder(shown?.folder ?? null);
  const selected = shown?.sessionId ?? null;
  const approvals = useApprovals();
  const waiting = useWaiting();
  const sessions = useArki().sessions;
  const session = useSessions().find((one) => one.sessionId === selected) ?? null;
  const [model, setModel] = useState<string | null>(null);
  const [chosenMode, setMode] = useState<ApprovalMode | null>(null);
  /** The session to find something in, and how often it was asked for. */
  const [finding, setFinding] = useState<{ sessionId: string; asked: number } | null>(null);
  const [replayed, setReplayed] = useState<string | null>(null);
  /** The provider that the settings ask a key for. */
  const [keyOf, setKeyOf] = useState<string | null>(null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [theme, setTheme] = useTheme();
  const [language, setLanguage] = useLanguage();
  const message = useRef<HTMLTextAreaElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  // Never remembered: what may happen without asking is said anew in each window.
  const mode = chosenMode ?? "ask";
  const options = useMemo(() => ({ model, approve: mode }), [model, mode]);
  const panes = usePanes(selected);
  useTitle(selected);
  useBadge();

  const show = (next: OpenDialog) => {
    setKeyOf(null);
    setDialog(next);
  };
  const focusMessage = () => message.current?.focus();
  const lead = (sessionId: string | null, inFolder?: string) => {
    if (sessionId !== selected) setFinding(null);
    select(sessionId, inFolder);
    panes.makeRoom();
    // A decision that waits is never hidden, whatever was folded away before.
    const here = (of: string) => of === sessionId || decidedIn(sessions.get(), of) === sessionId;
    if (sessionId !== selected || waiting.some((one) => here(one.sessionId))) setReplayed(null);
    if (approvals.some((one) => here(one.sessionId))) panes.show("changes");
  };
  const history = useHistory({ selected, go: lead, focusMessage });
  const go = (sessionId: string | null) => {
    history.leavePlace();
    lead(sessionId);
  };
  useOnSession((sessionId) => {
    show(null);
    history.setAsking(null);
    go(sessionId);
  });
  const newSession = () => {
    go(null);
    // The box is another one by then; it must be there to take the focus.
    setTimeout(focusMessage, 0);
  };
  const sentTo = (sessionId: string) => {
    select(sessionId);
    focusMessage();
  };
  /** The title of the session that is shown, in the list. */
  const rename = () => {
    panes.setSidebar(true);
    setRenaming(selected);
  };
  const find = () =>
    selected !== null && setFinding((now) => ({ sessionId: selected, asked: (now?.asked ?? 0) + 1 }));
  const endFinding = () => {
    setFinding(null);
    history.leavePlace();
    focusMessage();
  };
  const replay = () => {
    setReplayed(selected);
    // Where it would lie over the bar, its user opens it.
    if (!panes.columns.inspector.floats) panes.show("changes");
  };
  const endReplay = () => {
    setReplayed(null);
    // The box is there again only then.
    setTimeout(focusMessage, 0);
  };
  const enterKey = (provider: string) => {
    setKeyOf(provider);
    setDialog("settings");
  };
  const stepOut = () => {
    panes.makeRoom();
    focusMessage();
  };
  return {
    app,
    shown,
    unavailable,
    project,
    selected,
    session,
    dialog,
    setDialog: show,
    keyOf,
    enterKey,
    model,
    setModel,
    mode,
    setMode,
    renaming,
    setRenaming,
    theme,
    setTheme,
    language,
    setLanguage,
    message,
    filter,
    options,
    panes,
    folder,
    history,
    focusMessage,
    finding,
    find,
    endFinding,
    replaying: replayed !== null && replayed === selected,
    replay,
    endReplay,
    rename,
    go,
    newSession,
    sentTo,
    stepOut,
  };
}

/** The sidebar and the inspector: shown or not, which tab, and where the review takes the focus. */
function usePanes(selected: string | null) {
  const columns = useColumns();
  const { open: sidebar, setOpen: setSidebar } = columns.sidebar;
  const { open: inspector, setOpen: setInspector } = columns.inspector;
  const [tab, setTab] = useState<Tab>("changes");
  const [focusRequest, setFocusRequest] = useState(0);
  const show = useCallback(
    (next: Tab) => {
      setTab(next);
      setInspector(true);
    },
    [setInspector],
  );
  const review = useCallback(() => {
    show("changes");
    setFocusRequest((now) => now + 1);
  }, [show]);
  useOnApproval(
    selected,
    useCallback(() => show("changes"), [show]),
  );
  /** What floats above the conversation gives way. */
  const makeRoom = () => {
    if (columns.sidebar.floats) setSidebar(false);
    if (columns.inspector.floats) setInspector(false);
  };
  return {
    columns,
    sidebar,
    setSidebar,
    inspector,
    setInspector,
    tab,
    setTab,
    focusRequest,
    show,
    review,
    makeRoom,
  };
}
