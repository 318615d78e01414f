import { type RefObject, useLayoutEffect, useRef } from "react";

/**
 * The newest of what is made anew at each render, such as a handler, under one identity: what gets it need not be drawn
 * anew. For handlers and effects, not to be read while drawing.
 */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
