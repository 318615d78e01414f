/** The user's message stays at the top while its answer scrolls, in one line; keys lead from one to the next. */
import { type RefObject, useEffect, useLayoutEffect, useMemo, useState } from "react";
import { useLatest } from "../../components/latest";
import { type Edges, onStep, steppedTo, stuckAt } from "./own_messages";
import type { Row } from "./rows";
import type { Steady } from "./steady";

type Props = {
  scroller: RefObject<HTMLDivElement | null>;
  rows: readonly Row[];
  steady: Steady;
  /** There is none further down, or none further up, among those that are loaded. */
  onEnd: (by: 1 | -1) => void;
  onLeave: () => void;
};

/** Nobody reads more of it in one line. */
const shownChars = 300;

/** Which message is to stand at the top; `look` is to be called whenever something moves. */
export function useOwnMessages({ scroller, rows, steady, onEnd, onLeave }: Props) {
  const [stuck, setStuck] = useState<string | null>(null);
  const places = useMemo(() => rows.flatMap((row, at) => (isOwn(row) ? [at] : [])), [rows]);
  const element = (at: number) =>
    scroller.current?.querySelector(".transcript-inner")?.children[places[at] ?? -1] as
      | HTMLElement
      | undefined;
  const edges = () => {
    const from = scroller.current?.getBoundingClientRect().top ?? 0;
    return (at: number): Edges => {
      const box = element(at)?.getBoundingClientRect();
      return { top: (box?.top ?? 0) - from, bottom: (box?.bottom ?? 0) - from };
    };
  };
  const look = () => {
    // Where nothing has a size, nothing has left.
    const at = scroller.current?.clientHeight ? stuckAt(places.length, edges()) : null;
    setStuck(at === null ? null : (rows[places[at] ?? -1]?.key ?? null));
  };
  const show = (row: HTMLElement | undefined) => {
    if (!row) return;
    onLeave();
    steady.show(row, "start");
    row.focus({ preventScroll: true });
  };
  const step = (by: 1 | -1) => {
    const view = scroller.current?.clientHeight ?? 0;
    const edgesOf = edges();
    const has = places.findIndex((_, at) => element(at) === document.activeElement);
    const isSeen = has !== -1 && edgesOf(has).top >= -1 && edgesOf(has).top < view;
    const next = steppedTo(places.length, edgesOf, by, isSeen ? has : null);
    if (next === null) onEnd(by);
    else show(element(next));
  };
  const latest = useLatest({ step, look });
  useEffect(() => onStep((by) => latest.current.step(by)), [latest]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the rows
  useLayoutEffect(() => latest.current.look(), [rows, latest]);
  const row = stuck === null ? null : rows.find((one) => one.key === stuck);
  const top = row?.item.kind === "user" && (
    <div
      className="own-message"
      aria-hidden
      onClick={() => show(element(places.findIndex((at) => rows[at]?.key === stuck)))}
    >
      <p className="own-words cut" dir="auto">
        {row.item.text.slice(0, shownChars)}
      </p>
    </div>
  );
  return { look, top };
}

const isOwn = ({ item }: Row) => item.kind === "user" && !item.takenBack;
