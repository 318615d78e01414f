/** The window's own state and what can be done with it. Features ask one another for things through this. */
import { useCallback, useMemo, useRef, useState } from "react";
import { useApp, useApprovals, useArki, useSessions } from "../platform/context";
import type { ApprovalMode } from "../protocol/generated";
import { decidedIn } from "../protocol/sessions";
import { useHistory } from "./history";
import { usePane, useRoom } from "./layout_state";
import { useProject } from "./project";
import { useTheme } from "./theme";
import { type OpenDialog, type Tab, useOnApproval, useSelection, useTitle } from "./window_state";

export type Window = ReturnType<typeof useWindow>;

export function useWindow() {
  const app = useApp();
  const project = app?.project ?? null;
  const [selected, select] = useSelection(project?.path ?? null);
  const approvals = useApprovals();
  const sessions = useArki().sessions;
  const session = useSessions().find((one) => one.sessionId === selected) ?? null;
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [model, setModel] = useState<string | null>(null);
  const [chosenMode, setMode] = useState<ApprovalMode | null>(null);
  const [theme, setTheme] = useTheme();
  const message = useRef<HTMLTextAreaElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  // Never remembered: what may happen without asking is said anew in each window.
  const mode = chosenMode ?? "ask";
  const options = useMemo(() => ({ model, approve: mode }), [model, mode]);
  const panes = usePanes(selected);
  const folder = useProject({ onOpened: () => select(null), onAskTrust: () => setDialog("trust") });
  useTitle(selected);

  const focusMessage = () => message.current?.focus();
  const lead = (sessionId: string | null) => {
    select(sessionId);
    panes.makeRoom();
    // A decision that waits is never hidden, whatever was folded away before.
    const here = (of: string) => of === sessionId || decidedIn(sessions.get(), of) === sessionId;
    if (approvals.some((one) => here(one.sessionId))) panes.show("changes");
  };
  const history = useHistory({ selected, go: lead, focusMessage });
  const go = (sessionId: string | null) => {
    history.leavePlace();
    lead(sessionId);
  };
  const newSession = () => {
    go(null);
    // The box is another one by then; it must be there to take the focus.
    setTimeout(focusMessage, 0);
  };
  const sentTo = (sessionId: string) => {
    select(sessionId);
    focusMessage();
  };
  const stepOut = () => {
    panes.makeRoom();
    focusMessage();
  };
  return {
    app,
    project,
    selected,
    session,
    dialog,
    setDialog,
    model,
    setModel,
    mode,
    setMode,
    theme,
    setTheme,
    message,
    filter,
    options,
    panes,
    folder,
    history,
    focusMessage,
    go,
    newSession,
    sentTo,
    stepOut,
  };
}

/** The sidebar and the inspector: shown or not, which tab, and where the review takes the focus. */
function usePanes(selected: string | null) {
  const room = useRoom();
  const [sidebar, setSidebar] = usePane("sidebar", room === "one");
  const [inspector, setInspector] = usePane("inspector", room !== "three");
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
    if (room === "one") setSidebar(false);
    if (room !== "three") setInspector(false);
  };
  return {
    room,
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
