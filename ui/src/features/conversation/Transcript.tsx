/**
 * The transcript, virtualised. It follows the end only while the reader is at the end; older pages are
 * fetched on the way up and far ones are let go by the store.
 */
import { ArrowDown } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { type CustomContainerComponentProps, Virtualizer, type VirtualizerHandle } from "virtua";
import { Button } from "../../components/Button";
import { useArki } from "../../platform/context";
import type { SessionView } from "../../platform/stores/session_view";
import { type RowActions, RowView } from "./RowView";
import type { Row } from "./rows";

type Props = { view: SessionView; rows: Row[]; actions: RowActions };

/** Nearer than this to the end counts as being at the end. */
const endSlack = 40;
/** Nearer than this to the first loaded row fetches the page before it. */
const fetchAhead = 600;

export function Transcript({ view, rows, actions }: Props) {
  const session = useArki().session(view.sessionId);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [following, setFollowing] = useState(true);
  const shift = usePrepended(rows);
  useFollow(scroller, following);

  const onScroll = () => {
    const el = scroller.current;
    if (!el) return;
    const toEnd = el.scrollHeight - el.clientHeight - el.scrollTop;
    const atEnd = toEnd < endSlack && !view.window.hasNewer;
    if (atEnd !== following) {
      setFollowing(atEnd);
      session.setReading(!atEnd);
    }
    if (el.scrollTop < fetchAhead) void session.loadOlder();
    if (toEnd < fetchAhead) void session.loadNewer();
  };
  const toEnd = async () => {
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
        <Virtualizer ref={list} scrollRef={scroller} shift={shift} as={Inner}>
          {rows.map((row) => (
            <RowView key={row.item.key} row={row} actions={actions} />
          ))}
        </Virtualizer>
      </div>
      {!following && (
        <Button small className="to-end" icon={<ArrowDown size={14} aria-hidden />} onClick={toEnd}>
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

/** Keeps the end in view while following: once when the size of the content changes, never by polling. */
function useFollow(scroller: React.RefObject<HTMLDivElement | null>, following: boolean): void {
  useLayoutEffect(() => {
    const el = scroller.current;
    if (el && following) el.scrollTop = el.scrollHeight;
  }, [scroller, following]);
  useEffect(() => {
    const el = scroller.current;
    const inner = el?.querySelector(".transcript-inner");
    if (!el || !inner || !following || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => {
      el.scrollTop = el.scrollHeight;
    });
    observer.observe(inner);
    return () => observer.disconnect();
  }, [scroller, following]);
}
