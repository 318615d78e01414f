import type { KeyboardEvent, PointerEvent } from "react";

type Props = {
  label: string;
  width: number;
  bounds: readonly [number, number, number];
  /** Which way dragging widens the pane: to the right (1) or to the left (-1). */
  grows: 1 | -1;
  onWidth: (width: number) => void;
};

const keyStep = 16;

/** The border between two columns, to drag or to move with the arrow keys. */
export function Handle({ label, width, bounds, grows, onWidth }: Props) {
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const handle = event.currentTarget;
    const from = event.clientX;
    handle.setPointerCapture(event.pointerId);
    const move = (e: globalThis.PointerEvent) => onWidth(width + (e.clientX - from) * grows);
    const up = () => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", up);
      handle.removeEventListener("pointercancel", up);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", up);
    handle.addEventListener("pointercancel", up);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowRight: keyStep, ArrowLeft: -keyStep }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onWidth(width + by * grows);
  };
  return (
    <div
      className="handle"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={bounds[0]}
      aria-valuemax={bounds[2]}
      tabIndex={0}
      title={`${label}: drag, or use the arrow keys. Double-click resets.`}
      onPointerDown={onPointerDown}
      onDoubleClick={() => onWidth(bounds[1])}
      onKeyDown={onKeyDown}
    />
  );
}
