/** The columns of this window: how wide they are wished, which are open, and what `layout` makes of it. */
import { useEffect, useState } from "react";
import { recall, remember } from "../components/remembered";
import {
  type Bounds,
  type Column,
  clampWidth,
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

export function useColumns(): { sidebar: Pane; inspector: Pane } {
  const window = useWindowWidth();
  const bounds = inspectorWidth(window);
  const [left, setLeft] = useWidth("sidebarWidth", sidebarWidth);
  const [right, setRight] = useWidth("inspectorWidth", bounds);
  const wished = { sidebar: left, inspector: right };
  const sidebar = sidebarIn(window, wished);
  const [sidebarOpen, setSidebarOpen] = usePane("sidebar", sidebar.floats);
  const beside = sidebarOpen && !sidebar.floats ? sidebar.width : 0;
  const inspector = inspectorIn(window, wished, beside);
  const [inspectorOpen, setInspectorOpen] = usePane("inspector", inspector.floats);
  // Dragging the one makes the other narrower, and never floats it.
  const taken = inspectorOpen && !inspector.floats ? bounds[0] : 0;
  const most = Math.max(sidebar.width, sidebar.most - taken);
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
      open: inspectorOpen,
      setOpen: setInspectorOpen,
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
