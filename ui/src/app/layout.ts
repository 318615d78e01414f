/**
 * How wide each column is. The conversation keeps its room; the others give way in this order: the inspector is
 * narrower, the inspector is a sheet above the conversation, the sidebar is a drawer. Then
 * what this window makes of it: how wide the columns are wished, and which are open.
 */
import { useEffect, useState } from "react";
import { recall, remember, useRemembered } from "../components/remembered";

/** CSS pixels: [least, at first, most]. */
type Bounds = readonly [least: number, first: number, most: number];

export const conversationLeast = 420;
const sheetLeast = 420;
export const sidebarWidth: Bounds = [176, 232, 400];

/** What the sidebar and the conversation's reading column have of a wide window. */
const besideInspector = 892;

/**
 * At first as much as leaves the conversation its reading column: lines of code should not wrap. What has none, such as
 * a plan, leaves the rest of a wide window to it.
 */
export function inspectorWidth(window: number, isWide = true): Bounds {
  const first = Math.max(window * 0.38, window - besideInspector);
  return [320, clampWidth(first, [320, 440, isWide ? 1440 : 560]), 1600];
}

function clampWidth(width: number, [least, , most]: Bounds): number {
  return Math.round(Math.min(most, Math.max(least, width)));
}

type Column = {
  width: number;
  /** Above the conversation, and not beside it. */
  floats: boolean;
  /** How wide it may be made. */
  most: number;
};

/** In review mode the diff has what the conversation leaves, which is the narrow column then. */
const railWidth: Bounds = [300, 320, 560];
const diffLeast = 480;
/** In a narrower window the diff is a sheet above the conversation, as wide as the window. */
export const reviewLeast = railWidth[0] + diffLeast;
/** What both have beside the sessions: two sides of a diff, with 60 characters each. */
export const reviewWide = railWidth[1] + 1120;

export function railIn(window: number, wished: number, beside: number): Column {
  const most = Math.min(railWidth[2], window - beside - diffLeast);
  return { width: Math.min(most, clampWidth(wished, railWidth)), floats: false, most };
}

/** How wide the user wants them. */
type Wished = { sidebar: number; inspector: number };

/** `rest`: what the other columns need at least. */
export function sidebarIn(window: number, wished: Wished, rest = conversationLeast): Column {
  const width = clampWidth(wished.sidebar, sidebarWidth);
  const floats = window < width + rest;
  return { width, floats, most: Math.min(sidebarWidth[2], Math.max(width, window - rest)) };
}

/** `beside`: the width of the sidebar where it stands beside the conversation, else 0. */
export function inspectorIn(window: number, wished: Wished, beside: number): Column {
  const bounds = inspectorWidth(window);
  const room = window - beside - conversationLeast;
  const floats = room < bounds[0];
  const most = floats ? bounds[2] : Math.min(bounds[2], room);
  const width = Math.min(most, clampWidth(wished.inspector, bounds));
  // A sheet has room of its own, and one more button in its head.
  return { width: floats ? Math.max(width, sheetLeast) : width, floats, most };
}

/** Between these its border can be moved. */
export type Sized = Column & { bounds: Bounds; setWidth: (width: number) => void };

export type Pane = Sized & {
  open: boolean;
  setOpen: (open: boolean) => void;
};

/** Whether the diff has the main column; it has it only while the inspector is open. */
export type ReviewMode = {
  isOn: boolean;
  setOn: (on: boolean) => void;
  /** The conversation, where it stands beside the diff. */
  rail: Sized | null;
};

/** How the inspector is open: as the user left it, or, where they left that to it, while it has something to show. */
type InspectorPane = Pane & {
  /** Opens where the user closed it, and leaves it to itself from then on. */
  offer: () => void;
};

/** `earns`: whether the inspector has something to show of the session; `isWide`: whether that is lines of code. */
export function useColumns(earns: boolean, isWide: boolean) {
  const window = useWindowWidth();
  const bounds = inspectorWidth(window, isWide);
  const [left, setLeft] = useWidth("sidebarWidth", sidebarWidth);
  const [right, setRight] = useWidth("inspectorWidth", bounds);
  const wished = { sidebar: left, inspector: right };
  const openingOf = useInspector(earns);
  const { isOn, setOn, isSheet, railBeside } = useReviewMode(window, wished, openingOf);
  const sidebar = sidebarIn(window, wished, isOn ? reviewWide : conversationLeast);
  const [sidebarOpen, setSidebarOpen] = usePane("sidebar", sidebar.floats);
  const beside = sidebarOpen && !sidebar.floats ? sidebar.width : 0;
  const usual = inspectorIn(window, wished, beside);
  const inspector = isOn ? { ...usual, width: window, floats: isSheet } : usual;
  const opening = openingOf(inspector.floats);
  // Dragging the one makes the other narrower, and never floats it.
  const taken = opening.open && !inspector.floats ? bounds[0] : 0;
  const rest = isOn ? reviewWide : conversationLeast + taken;
  const most = Math.max(sidebar.width, Math.min(sidebar.most, window - rest));
  return {
    sidebar: {
      ...sidebar,
      most,
      open: sidebarOpen,
      setOpen: setSidebarOpen,
      bounds: sidebarWidth,
      setWidth: (width: number) => setLeft(Math.min(width, most)),
    },
    inspector: {
      ...inspector,
      ...opening,
      bounds,
      setWidth: (width: number) => setRight(Math.min(width, inspector.most)),
    },
    review: { isOn, setOn, rail: railBeside(beside) },
  };
}

/** Remembered like the columns' widths. */
function useReviewMode(window: number, wished: Wished, openingOf: (floating: boolean) => Opening) {
  const [main, setMain] = useRemembered("mainColumn", "conversation", ["conversation", "review"]);
  const [rail, setWidth] = useWidth("railWidth", railWidth);
  const isSheet = window < reviewLeast;
  const isOn = main === "review" && openingOf(isSheet).open;
  return {
    isOn,
    isSheet,
    setOn: (on: boolean) => {
      setMain(on ? "review" : "conversation");
      // The inspector stays open, as the column or the sheet that it is then.
      const usual = inspectorIn(window, wished, sidebarIn(window, wished).width);
      const next = openingOf(on ? isSheet : usual.floats);
      if (!next.open) next.setOpen(true);
    },
    railBeside: (beside: number): Sized | null =>
      isOn && !isSheet ? { ...railIn(window, rail, beside), bounds: railWidth, setWidth } : null,
  };
}

function useWindowWidth(): number {
  const [width, setWidth] = useState(window.innerWidth);
  useEffect(() => {
    const onResize = () => setWidth(window.innerWidth);
    window.addEventListener("resize", onResize);
    return () => window.removeEventListener("resize", onResize);
  }, []);
  return width;
}

function useWidth(key: string, bounds: Bounds): [number, (width: number) => void] {
  const [chosen, setChosen] = useState(() => Number(recall(key)) || null);
  return [
    chosen ?? bounds[1],
    (next) => {
      const width = clampWidth(next, bounds);
      remember(key, `${width}`);
      setChosen(width);
    },
  ];
}

/** Open in a column, remembered; as a sheet or drawer it starts closed and is not. */
function usePane(key: string, floating: boolean): [boolean, (open: boolean) => void] {
  const [docked, setDocked] = useState(() => recall(key) !== "closed");
  const [floats, setFloats] = useState(false);
  if (floating) return [floats, setFloats];
  return [
    docked,
    (open) => {
      remember(key, open ? "open" : "closed");
      setDocked(open);
    },
  ];
}

/** What the user did with it last; null: nothing since it last opened by itself. */
type Choice = "open" | "closed" | null;

type Opening = Pick<InspectorPane, "open" | "setOpen" | "offer">;

/** As a column its choice is remembered; as a sheet it opens for a decision or by hand alone. */
function useInspector(earns: boolean): (floating: boolean) => Opening {
  const [choice, setChoice] = useState<Choice>(
    () => (["open", "closed"] as const).find((one) => one === recall("inspector")) ?? null,
  );
  const [sheet, setSheet] = useState(false);
  const choose = (next: Choice) => {
    remember("inspector", next ?? "auto");
    setChoice(next);
  };
  const column: Opening = {
    open: choice === null ? earns : choice === "open",
    setOpen: (open) => choose(open ? "open" : "closed"),
    offer: () => choice === "closed" && choose(null),
  };
  return (floating) => (floating ? { open: sheet, setOpen: setSheet, offer: () => setSheet(true) } : column);
}
