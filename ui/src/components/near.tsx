/**
 * Drawing only what is near to what is seen. What is far away keeps its height and has nothing in it: however long a
 * text is, the page holds a few screens of it.
 */
import { createContext, type ReactNode, useContext, useLayoutEffect, useRef, useState } from "react";

/** Tells of elements that come near to what a scroller shows, or leave it. */
export type Nearness = {
  watch: (element: Element, tell: (entry: Sighting) => void) => () => void;
};
type Sighting = Pick<IntersectionObserverEntry, "isIntersecting" | "boundingClientRect">;

const NearnessContext = createContext<Nearness | null>(null);
export const NearnessProvider = NearnessContext.Provider;

/** More than a screen on each side: what is scrolled to is mostly there before it is seen. */
const margin = "1200px 0px";

/** So many parts are drawn at most where something is looked for that may be in any of them. */
const mostRevealed = 500;

/** Until there is a scroller what is to be watched waits. `reveal` draws what is far away in an element, too. */
export function createNearness(): Nearness & {
  begin: (scroller: Element) => () => void;
  reveal: (inside: Element) => void;
} {
  const heard = new Map<Element, (entry: Sighting) => void>();
  /** Told of while the scroller had no room, and not again since. */
  const missed = new Set<Element>();
  let observer: IntersectionObserver | null = null;
  return {
    watch: (element, tell) => {
      heard.set(element, tell);
      observer?.observe(element);
      return () => {
        heard.delete(element);
        missed.delete(element);
        observer?.unobserve(element);
      };
    },
    reveal: (inside) => {
      const parts = [...heard].filter(([element]) => inside.contains(element)).slice(0, mostRevealed);
      for (const [element, tell] of parts)
        tell({ isIntersecting: true, boundingClientRect: element.getBoundingClientRect() });
    },
    begin: (scroller) => {
      const begun = new IntersectionObserver(
        (entries) => {
          // While columns move, the scroller may have no room for a moment: what is near then isn't known.
          let hasRoom = false;
          for (const entry of entries) {
            hasRoom = entry.rootBounds === null || entry.rootBounds.width > 0;
            const tell = heard.get(entry.target);
            if (hasRoom) {
              missed.delete(entry.target);
              tell?.(entry);
            } else if (tell) missed.add(entry.target);
          }
          if (!hasRoom) return;
          // The observer tells of changes alone: those that stay far away would never be told of again.
          for (const element of missed) {
            begun.unobserve(element);
            begun.observe(element);
          }
          missed.clear();
        },
        { root: scroller, rootMargin: margin },
      );
      observer = begun;
      for (const element of heard.keys()) begun.observe(element);
      return () => {
        begun.disconnect();
        observer = null;
      };
    },
  };
}

type Props = {
  /** In a style sheet's words, for as long as it was never drawn. */
  height: string;
  /** Drawn at once, before anybody knows where it is. */
  atFirst: boolean;
  className?: string;
  children: () => ReactNode;
};

export function Near({ height, atFirst, className, children }: Props) {
  const nearness = useContext(NearnessContext);
  const element = useRef<HTMLDivElement>(null);
  const [state, setState] = useState({ near: atFirst, height });
  useLayoutEffect(() => {
    const { current } = element;
    if (nearness === null || current === null) return;
    return nearness.watch(current, ({ isIntersecting, boundingClientRect }) =>
      setState((now) => {
        if (now.near === isIntersecting) return now;
        return isIntersecting
          ? { ...now, near: true }
          : { near: false, height: `${boundingClientRect.height}px` };
      }),
    );
  }, [nearness]);
  const near = state.near || nearness === null;
  return (
    <div ref={element} className={className} style={near ? undefined : { height: state.height }}>
      {near && children()}
    </div>
  );
}
