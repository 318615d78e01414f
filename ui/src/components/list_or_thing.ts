/**
 * A list beside what is chosen in it. Where a place has no room for both, `place.css` shows one of them: the list, or
 * the thing once it is opened. Escape leads from the thing to the list.
 */
import { type KeyboardEvent, useRef, useState } from "react";

export function useListOrThing() {
  const root = useRef<HTMLDivElement>(null);
  const [isOpened, setOpened] = useState(false);
  const chosen = () => root.current?.querySelector<HTMLElement>(".beside-list [aria-current=true]");
  const hidesList = () => {
    const list = root.current?.querySelector(".beside-list");
    return list != null && getComputedStyle(list).display === "none";
  };
  const close = () => {
    setOpened(false);
    setTimeout(() => chosen()?.focus(), 0);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || !isOpened || !hidesList()) return;
    event.preventDefault();
    close();
  };
  const className = `beside ${isOpened ? "opened" : ""}`;
  return {
    open: () => setOpened(true),
    close,
    chosen,
    hidesList,
    frame: { ref: root, className, onKeyDown },
  };
}

/** In a list of buttons. */
export function moveByArrow(event: KeyboardEvent<HTMLElement>) {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1) }[event.key];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
