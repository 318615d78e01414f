/** Widths and visibility of the columns: remembered, bounded, and adapted to the window. */
import { useEffect, useState } from "react";
import { recall, remember } from "../components/remembered";

/** CSS pixels: [least, at first, most]. */
export const sidebarWidth = [176, 232, 400] as const;
/** At first as much as leaves the conversation its reading column: lines of code should not wrap. */
export const inspectorWidth = [320, clampWidth(window.innerWidth * 0.38, [320, 440, 640]), 960] as const;
const mainWidth = 420;

export type Room = "three" | "two" | "one";

/** Three columns, then the inspector as a sheet, then the sidebar as a drawer too. */
export function roomFor(width: number): Room {
  if (width >= sidebarWidth[0] + mainWidth + inspectorWidth[0] + 100) return "three";
  return width >= 800 ? "two" : "one";
}

export function useRoom(): Room {
  const [room, setRoom] = useState(() => roomFor(window.innerWidth));
  useEffect(() => {
    const onResize = () => setRoom(roomFor(window.innerWidth));
    window.addEventListener("resize", onResize);
    return () => window.removeEventListener("resize", onResize);
  }, []);
  return room;
}

type Bounds = readonly [least: number, first: number, most: number];

export function clampWidth(width: number, [least, , most]: Bounds): number {
  return Math.round(Math.min(most, Math.max(least, width)));
}

export function useWidth(key: string, bounds: Bounds): [number, (width: number) => void] {
  const [width, setWidth] = useState(() => {
    const stored = Number(recall(key));
    return stored > 0 ? clampWidth(stored, bounds) : bounds[1];
  });
  return [
    width,
    (next) => {
      const clamped = clampWidth(next, bounds);
      remember(key, `${clamped}`);
      setWidth(clamped);
    },
  ];
}

/** Open in a column, remembered; as a sheet or drawer it starts closed and is not. */
export function usePane(key: string, floating: boolean): [boolean, (open: boolean) => void] {
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
