/** The columns of this window: how wide they are wished, which are open, and what `layout` makes of it. */
import { useEffect, useState } from "react";
import { recall, remember } from "../components/remembered";
import {
  type Bounds,
  type Column,
  clampWidth,
  conversationLeast,
  inspectorIn,
  inspectorWidth,
  sidebarIn,
  sidebarWidth,
} from "./layout";

export type Pane = Column & {
  open: boolean;
  setOpen: (open: boolean) => void;
  bounds: Bounds;
  setWidth: (width: number) => void;
};

/** How the inspector is open: as the user left it, or, where they left that to it, while it has something to show. */
export type InspectorPane = Pane & {
  /** Opens where the user closed it, and leaves it to itself from then on. */
  offer: () => void;
};

/** `earns`: whether the inspector has something to show of the session. */
export function useColumns(earns: boolean): { sidebar: Pane; inspector: InspectorPane } {
  const window = useWindowWidth();
  const bounds = inspectorWidth(window);
  const [left, setLeft] = useWidth("sidebarWidth", sidebarWidth);
  const [right, setRight] = useWidth("inspectorWidth", bounds);
  const wished = { sidebar: left, inspector: right };
  const sidebar = sidebarIn(window, wished);
  const [sidebarOpen, setSidebarOpen] = usePane("sidebar", sidebar.floats);
  const beside = sidebarOpen && !sidebar.floats ? sidebar.width : 0;
  const inspector = inspectorIn(window, wished, beside);
  const opening = useInspector(inspector.floats, earns);
  // Dragging the one makes the other narrower, and never floats it.
  const taken = opening.open && !inspector.floats ? bounds[0] : 0;
  const most = Math.max(sidebar.width, Math.min(sidebar.most, window - conversationLeast - taken));
  return {
    sidebar: {
      ...sidebar,
      most,
      open: sidebarOpen,
      setOpen: setSidebarOpen,
      bounds: sidebarWidth,
      setWidth: (width) => setLeft(Math.min(width, most)),
    },
    inspector: {
      ...inspector,
      ...opening,
      bounds,
      setWidth: (width) => setRight(Math.min(width, inspector.most)),
    },
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

/** As a column its choice is remembered; as a sheet it opens for a decision or by hand alone. */
function useInspector(floating: boolean, earns: boolean): Pick<InspectorPane, "open" | "setOpen" | "offer"> {
  const [choice, setChoice] = useState<Choice>(
    () => (["open", "closed"] as const).find((one) => one === recall("inspector")) ?? null,
  );
  const [sheet, setSheet] = useState(false);
  if (floating) return { open: sheet, setOpen: setSheet, offer: () => setSheet(true) };
  const choose = (next: Choice) => {
    remember("inspector", next ?? "auto");
    setChoice(next);
  };
  return {
    open: choice === null ? earns : choice === "open",
    setOpen: (open) => choose(open ? "open" : "closed"),
    offer: () => choice === "closed" && choose(null),
  };
}
