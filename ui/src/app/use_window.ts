/** The window's own state and what can be done with it. Features ask one another for things through this. */
import { useEffect, useMemo, useRef, useState } from "react";
import {
  useApp,
  useApprovals,
  useApprovalsIn,
  useArki,
  useFolder,
  useSessions,
  useWaiting,
} from "../platform/context";
import type { ApprovalMode } from "../protocol/generated";
import { decidedIn } from "../protocol/sessions";
import { useChosenModel } from "./chosen_model";
import { useHistory } from "./history";
import { useColumns } from "./layout";
import { useLanguage } from "./locale";
import { useProject } from "./project";
import { useShown } from "./shown";
import { useLook } from "./theme";
import { type Place, useTrail } from "./trail";
import {
  type OpenDialog,
  type Tab,
  useBadge,
  useEarnsInspector,
  useOnApproval,
  useTitle,
} from "./window_state";

export type Window = ReturnType<typeof useWindow>;

export function useWindow() {
  const app = useApp();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const folder = useProject({
    onAskTrust: () => setDialog("trust"),
    onAskFolder: () => setDialog("folder"),
  });
  const { shown, unavailable, select } = useShown(folder.led);
  const project = useFolder(shown?.folder ?? null);
  const selected = shown?.sessionId ?? null;
  const approvals = useApprovals();
  const waiting = useWaiting();
  const sessions = useArki().sessions;
  const session = useSessions().find((one) => one.sessionId === selected) ?? null;
  const { model, choose: setModel, chooseHere: setModelHere } = useChosenModel();
  const [chosenMode, setMode] = useState<ApprovalMode | null>(null);
  /** The session to find something in, and how often it was asked for. */
  const [finding, setFinding] = useState<{ sessionId: string; asked: number } | null>(null);
  const [replayed, setReplayed] = useState<string | null>(null);
  /** The provider that the settings ask a key for. */
  const [keyOf, setKeyOf] = useState<string | null>(null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const look = useLook();
  const [language, setLanguage] = useLanguage();
  const message = useRef<HTMLTextAreaElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  // Never remembered: what may happen without asking is said anew in each window.
  const mode = chosenMode ?? "ask";
  const options = useMemo(() => ({ model, approve: mode }), [model, mode]);
  const replaying = replayed !== null && replayed === selected;
  const trail = useTrail(shown, () => message.current?.focus());
  const panes = usePanes(selected, replaying, trail.leave);
  useTitle(selected);
  useBadge();

  const show = (next: OpenDialog) => {
    setKeyOf(null);
    setDialog(next);
  };
  const focusMessage = () => {
    if (trail.place === null) message.current?.focus();
    else focusMessageNext();
  };
  const showSession = (sessionId: string | null, inFolder?: string) => {
    if (sessionId !== selected) setFinding(null);
    select(sessionId, inFolder);
    panes.makeRoom();
    // A decision that waits is never hidden, whatever was folded away before.
    const here = (of: string) => of === sessionId || decidedIn(sessions.get(), of) === sessionId;
    if (sessionId !== selected || waiting.some((one) => here(one.sessionId))) setReplayed(null);
    if (approvals.some((one) => here(one.sessionId) && !panes.wasPutAway(one.approvalId))) panes.offer();
  };
  const lead: typeof showSession = (...to) => {
    trail.leave();
    showSession(...to);
  };
  const openPlace = (place: Place) => {
    panes.makeRoom();
    trail.open(place);
  };
  const stepBy = (by: 1 | -1) => () =>
    trail.step(by, ({ sessionId, folder: at }) => {
      history.leavePlace();
      showSession(sessionId, at);
    });
  const back = trail.canStep(-1) ? stepBy(-1) : null;
  const [wishes, setWishes] = useState(0);
  useEffect(() => {
    if (wishes === 0) return;
    // A dialog that has just gone gives the focus back before that.
    const timer = setTimeout(() => message.current?.focus(), 0);
    return () => clearTimeout(timer);
  }, [wishes]);
  /** Focuses the message box that is there once what is changed now has been drawn. */
  const focusMessageNext = () => {
    trail.leave();
    setWishes((count) => count + 1);
  };
  const history = useHistory({ selected, go: lead, focusMessageNext });
  const go = (sessionId: string | null) => {
    history.leavePlace();
    lead(sessionId);
  };
  const newSession = () => {
    go(null);
    focusMessageNext();
  };
  const sentTo = (sessionId: string) => {
    select(sessionId);
    message.current?.focus();
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
    trail.leave();
    setReplayed(selected);
    // Where it would lie over the bar, its user opens it.
    if (!panes.columns.inspector.floats) panes.offer();
  };
  const endReplay = () => {
    setReplayed(null);
    focusMessageNext();
  };
  const enterKey = (provider: string) => {
    setKeyOf(provider);
    setDialog("settings");
  };
  const stepOut = () => {
    if (trail.place !== null && !(panes.columns.sidebar.floats && panes.sidebar)) return back?.();
    if (panes.leaveReview()) return;
    panes.putFloatingAway();
    if (trail.place === null) focusMessage();
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
    setModelHere,
    mode,
    setMode,
    renaming,
    setRenaming,
    look,
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
    replaying,
    replay,
    endReplay,
    rename,
    go,
    place: trail.place,
    isFromPlace: trail.isFromPlace,
    openPlace,
    leavePlace: trail.leave,
    back,
    forward: trail.canStep(1) ? stepBy(1) : null,
    newSession,
    sentTo,
    stepOut,
  };
}

/** The sidebar and the inspector: shown or not, which tab, and where the review takes the focus. What shows it leaves a place. */
function usePanes(selected: string | null, replaying: boolean, leavePlace: () => void) {
  const earns = useEarnsInspector(selected);
  const [tab, setTab] = useState<Tab>("changes");
  const isWide = replaying || tab === "timeline" || (tab === "changes" && earns === 2);
  const columns = useColumns(earns > 0 || replaying, isWide);
  const { open: sidebar, setOpen: setSidebar } = columns.sidebar;
  const { open: inspector, setOpen: setInspector } = columns.inspector;
  const [focusRequest, setFocusRequest] = useState(0);
  const waiting = useApprovalsIn(selected);
  /** The approvals over which the user closed the inspector: it doesn't open for these again. */
  const putAway = useRef(new Set<string>());
  const byHand = (open: boolean) => {
    if (!open) for (const one of waiting) putAway.current.add(one.approvalId);
    setInspector(open);
  };
  const show = (next: Tab) => {
    leavePlace();
    setTab(next);
    if (!inspector) setInspector(true);
  };
  const offer = () => {
    setTab("changes");
    columns.inspector.offer();
  };
  const takeFocus = () => setFocusRequest((now) => now + 1);
  const review = () => {
    leavePlace();
    offer();
    takeFocus();
  };
  const showChanges = () => {
    if (waiting.length > 0) return review();
    show("changes");
    takeFocus();
  };
  useOnApproval(selected, offer);
  const { isOn: reviewing, setOn: setReviewing } = columns.review;
  const toggleReview = () => {
    setReviewing(!reviewing);
    if (reviewing) return;
    setTab("changes");
    takeFocus();
  };
  /** The sessions may lie above it, and give way first. */
  const leaveReview = () => {
    if (!reviewing || (columns.sidebar.floats && sidebar)) return false;
    setReviewing(false);
    return true;
  };
  /** What floats above the conversation gives way. */
  const makeRoom = () => {
    if (columns.sidebar.floats) setSidebar(false);
    if (columns.inspector.floats) setInspector(false);
  };
  const putFloatingAway = () => {
    if (columns.inspector.floats && inspector) byHand(false);
    makeRoom();
  };
  return {
    columns,
    /** Whether the inspector has something to show of the session. */
    earns: earns > 0,
    sidebar,
    setSidebar,
    inspector,
    setInspector: byHand,
    tab,
    setTab,
    focusRequest,
    show,
    offer,
    review,
    showChanges,
    toggleReview,
    leaveReview,
    wasPutAway: (approvalId: string) => putAway.current.has(approvalId),
    makeRoom,
    putFloatingAway,
  };
}
