import { t } from "@lingui/core/macro";
import type { KeyboardEvent, PointerEvent } from "react";
import { forth, readingKey } from "../components/direction";
import type { Sized } from "./layout";

type Props = {
  label: string;
  pane: Sized;
  /** Which way dragging widens the pane: as one reads (1) or against it (-1). */
  grows: 1 | -1;
};

const keyStep = 16;

/** The border between two columns, to drag or to move with the arrow keys. */
export function Handle({ label, pane, grows }: Props) {
  const { width, bounds, most, setWidth } = pane;
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const handle = event.currentTarget;
    const from = event.clientX;
    handle.setPointerCapture(event.pointerId);
    const move = (e: globalThis.PointerEvent) => setWidth(width + (e.clientX - from) * grows * forth());
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
    const by = { ArrowRight: keyStep, ArrowLeft: -keyStep }[readingKey(event.key)];
    if (by === undefined) return;
    event.preventDefault();
    setWidth(width + by * grows);
  };
  return (
    <div
      className="handle"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={bounds[0]}
      aria-valuemax={most}
      tabIndex={0}
      title={t`${label}: drag, or use the arrow keys. Double-click resets.`}
      onPointerDown={onPointerDown}
      onDoubleClick={() => setWidth(bounds[1])}
      onKeyDown={onKeyDown}
    />
  );
}
