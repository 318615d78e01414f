/**
 * The transcript, virtualised. It follows the end only while the reader is at the end; older pages are
 * fetched on the way up and far ones are let go by the store.
 */
import { ArrowDown } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type CustomContainerComponentProps, Virtualizer, type VirtualizerHandle } from "virtua";
import { Button } from "../../components/Button";
import { useArki } from "../../platform/context";
import type { SessionView } from "../../platform/stores/session_view";
import { follows, type Position, toEnd } from "./follow";
import type { Found as FoundRow } from "./place";
import { type RowActions, RowView } from "./RowView";
import type { Row } from "./rows";

type Props = {
  view: SessionView;
  rows: Row[];
  actions: RowActions;
  found: FoundRow | null;
};

/** Nearer than this to the first loaded row fetches the page before it. */
const fetchAhead = 600;

export function Transcript({ view, rows, actions, found }: Props) {
  const session = useArki().session(view.sessionId);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [following, setFollowing] = useState(found === null || found.atEnd);
  const shift = usePrepended(rows);
  const last = useRef<Position>({ top: 0, height: 0, view: 0 });
  useFollow(scroller, following, last);
  const place = found ? rows.findIndex((row) => row.item.key === found.key) : -1;
  const staysAtEnd = found?.atEnd ?? false;
  useFound({ scroller, list, place, at: found?.at ?? null, staysAtEnd }, () => {
    setFollowing(staysAtEnd);
    session.setReading(!staysAtEnd);
  });

  const onScroll = () => {
    const el = scroller.current;
    if (!el) return;
    const now = position(el);
    const next = follows(following, last.current, now) && !view.window.hasNewer;
    last.current = now;
    if (next !== following) {
      setFollowing(next);
      session.setReading(!next);
    }
    if (now.top < fetchAhead && !next) void session.loadOlder();
    if (toEnd(now) < fetchAhead) void session.loadNewer();
  };
  const goToEnd = async () => {
    if (view.window.hasNewer) await session.load();
    session.setReading(false);
    setFollowing(true);
    list.current?.scrollToIndex(rows.length - 1, { align: "end" });
  };
  return (
    <div className="transcript-frame">
      <div
        className="transcript"
        role="log"
        aria-label="Transcript"
        aria-live="polite"
        ref={scroller}
        onScroll={onScroll}
        tabIndex={0}
      >
        {view.window.hasOlder && (
          <p className="transcript-more small secondary">Earlier messages load as you scroll</p>
        )}
        <Virtualizer
          ref={list}
          scrollRef={scroller}
          shift={shift}
          as={Inner}
          keepMounted={place >= 0 ? [place] : undefined}
        >
          {rows.map((row) => (
            <RowView key={row.item.key} row={row} actions={actions} found={row.item.key === found?.key} />
          ))}
        </Virtualizer>
      </div>
      {!following && (
        <Button small className="to-end" icon={<ArrowDown size={14} aria-hidden />} onClick={goToEnd}>
          Newest
        </Button>
      )}
    </div>
  );
}

function Inner({ style, children, ref }: CustomContainerComponentProps) {
  return (
    <div ref={ref} style={style} className="transcript-inner">
      {children}
    </div>
  );
}

type Found = {
  scroller: RefObject<HTMLDivElement | null>;
  list: RefObject<VirtualizerHandle | null>;
  place: number;
  at: number | null;
  staysAtEnd: boolean;
};

/** Brings the row into sight and gives it, or what in it is to be operated, the focus; again only when asked again. */
function useFound({ scroller, list, place, at, staysAtEnd }: Found, settle: () => void): void {
  const shown = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that come later must not scroll again
  useEffect(() => {
    if (at === null || place < 0 || shown.current === at) return;
    shown.current = at;
    settle();
    list.current?.scrollToIndex(place, { align: staysAtEnd ? "end" : "center" });
    const row = scroller.current?.querySelector<HTMLElement>(".row.found");
    (row?.querySelector<HTMLElement>("[data-first]") ?? row)?.focus({ preventScroll: true });
  }, [at, place]);
}

/** True while rows were added before the first one: the list then keeps what is read in place. */
function usePrepended(rows: Row[]): boolean {
  const first = rows[0]?.item.key;
  const [state, setState] = useState({ first, shift: false });
  const known = state.first;
  if (first !== known) {
    const shift = known !== undefined && rows.some((row) => row.item.key === known);
    setState({ first, shift });
    return shift;
  }
  return state.shift;
}

function position(el: HTMLElement): Position {
  return { top: el.scrollTop, height: el.scrollHeight, view: el.clientHeight };
}

/** Keeps the end in view while following: once when a size changes, never by polling. */
function useFollow(
  scroller: RefObject<HTMLDivElement | null>,
  following: boolean,
  last: RefObject<Position>,
): void {
  useLayoutEffect(() => {
    const el = scroller.current;
    const inner = el?.querySelector(".transcript-inner");
    if (!el || !inner || !following) return;
    const stick = () => {
      el.scrollTop = el.scrollHeight;
      last.current = position(el);
    };
    stick();
    const observer = new ResizeObserver(stick);
    observer.observe(inner);
    observer.observe(el);
    return () => observer.disconnect();
  }, [scroller, following, last]);
}
