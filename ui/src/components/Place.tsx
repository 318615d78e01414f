/** A view that has the main area to itself. While another is shown it keeps its state, where it is scrolled to and its focus. */
import { type ReactNode, useEffect, useRef } from "react";
import "./place.css";

type Props = {
  title: string;
  open: boolean;
  /** `column`: as wide as is read well. `most`: as much room as a graph wants. `whole`: it divides it itself. */
  look: "column" | "most" | "whole";
  children: ReactNode;
};

export function Place({ title, open, look, children }: Props) {
  const root = useRef<HTMLElement>(null);
  const last = useRef<HTMLElement | null>(null);
  useEffect(() => {
    if (!open) return;
    // A dialog that has just gone gives the focus back before that.
    const timer = setTimeout(() => focusIn(root.current, last.current), 0);
    return () => clearTimeout(timer);
  }, [open]);
  return (
    <section
      ref={root}
      className={`place ${look}`}
      aria-label={title}
      hidden={!open}
      tabIndex={-1}
      onFocus={(event) => {
        last.current = event.target;
      }}
    >
      {look === "whole" ? children : <div className="place-column">{children}</div>}
    </section>
  );
}

/** What had it last; at first the first control there is. */
function focusIn(root: HTMLElement | null, last: HTMLElement | null): void {
  if (root === null || (root.contains(document.activeElement) && document.activeElement !== root)) return;
  const first = root.querySelector<HTMLElement>(
    "button:not(:disabled, [tabindex='-1']), input:not(:disabled), select, textarea, [tabindex='0']",
  );
  const next = last !== null && root.contains(last) ? last : first;
  next?.focus({ preventScroll: true });
  if (!root.contains(document.activeElement)) root.focus({ preventScroll: true });
}
