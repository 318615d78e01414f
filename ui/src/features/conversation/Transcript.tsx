/**
 * The transcript: all rows that are loaded, one below the other. It follows the end only while the reader is there;
 * older pages are fetched on the way up and far ones are let go by the store. What is long within a row is drawn where
 * it is seen (`components/near`).
 */
import { t } from "@lingui/core/macro";
import { ArrowDown } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { useLatest } from "../../components/latest";
import { createNearness, NearnessProvider } from "../../components/near";
import { useArki } from "../../platform/context";
import type { SessionView } from "../../platform/stores/session_view";
import { isFull } from "../../protocol/window";
import { useOwnMessages } from "./OwnMessage";
import type { Found as FoundRow } from "./place";
import { type RowActions, RowView } from "./RowView";
import type { Row } from "./rows";
import { endSlack, position, type Steady, toEnd, useSteady } from "./steady";

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
  const [following, setFollowing] = useState(found === null || found.atEnd);
  const nearness = useNearness(scroller);
  const follow = (next: boolean) => {
    setFollowing(next);
    session.setReading(!next);
  };
  const steady = useSteady({ scroller, following, setFollowing: follow });
  useFound({ scroller, steady, found }, follow);
  useMarked({ scroller, steady, found }, nearness);

  /**
   * Asked after each change too, not only where somebody scrolls: a page may add next to nothing to what is seen. What
   * would be let go for it at the other end is only let go where somebody scrolls.
   */
  const fetchWhatIsNear = (byHand: boolean) => {
    const el = scroller.current;
    if (!el || (!byHand && isFull(view.window))) return;
    const now = position(el);
    const fits = now.height <= now.view + endSlack;
    const older = view.window.hasOlder && now.top < fetchAhead && (!following || fits);
    const newer = toEnd(now) < fetchAhead && view.window.hasNewer;
    if (older && !(newer && toEnd(now) < now.top)) void session.loadOlder();
    else if (newer) void session.loadNewer();
  };
  const onScroll = () => {
    const next = steady.scrolled() && !view.window.hasNewer;
    if (next !== following) follow(next);
    own.look();
    fetchWhatIsNear(true);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the rows, and of whether it follows
  useLayoutEffect(() => {
    steady.hold();
    // What could not be fetched is asked for again by scrolling, not by itself.
    if (view.fetching === null && view.error === null) fetchWhatIsNear(false);
  }, [rows, following, view.fetching]);
  const goToEnd = async () => {
    if (view.window.hasNewer) await session.load();
    follow(true);
  };
  const own = useOwnMessages({
    scroller,
    rows,
    steady,
    onLeave: () => follow(false),
    onEnd: (by) => void (by === 1 ? goToEnd() : view.window.hasOlder && session.loadOlder()),
  });
  return (
    <div className="transcript-frame">
      <div
        className="transcript"
        role="log"
        aria-label={t`Transcript`}
        aria-live={view.replay === null ? "polite" : "off"}
        ref={scroller}
        onScroll={onScroll}
        // At its very top or end nothing scrolls any more.
        onWheel={() => fetchWhatIsNear(true)}
        onKeyDown={() => fetchWhatIsNear(true)}
        tabIndex={0}
      >
        {own.top}
        {view.window.hasOlder && (
          <p className="transcript-more">
            <Button small look="quiet" title={t`They also load as you scroll`} onClick={session.loadOlder}>
              {t`Load earlier messages`}
            </Button>
          </p>
        )}
        <NearnessProvider value={nearness}>
          <div className="transcript-inner">
            {rows.map((row) => (
              <RowView key={row.key} row={row} actions={actions} found={row.item.key === found?.key} />
            ))}
          </div>
        </NearnessProvider>
      </div>
      {(!following || view.window.hasNewer) && (
        <Button small className="to-end" icon={<ArrowDown size={14} aria-hidden />} onClick={goToEnd}>
          {t`Newest`}
        </Button>
      )}
    </div>
  );
}

/** Null where nothing has a place. */
function useNearness(scroller: RefObject<HTMLElement | null>) {
  const [nearness] = useState(() => (typeof IntersectionObserver === "undefined" ? null : createNearness()));
  useLayoutEffect(() => {
    const el = scroller.current;
    return el && nearness ? nearness.begin(el) : undefined;
  }, [scroller, nearness]);
  return nearness;
}

type Found = { scroller: RefObject<HTMLDivElement | null>; steady: Steady; found: FoundRow | null };

/** Marks what was looked for in the row, also in parts of it that are drawn later, and brings its first place into sight. */
function useMarked({ scroller, steady, found }: Found, nearness: ReturnType<typeof useNearness>): void {
  const { platform } = useArki();
  const latest = useLatest({ steady, nearness, platform });
  useEffect(() => {
    const row = scroller.current?.querySelector<HTMLElement>(".row.found");
    const words = found?.words ?? null;
    if (!row || words === null) return;
    let stop = () => {};
    let isShown = true;
    void import("./mark").then(async ({ markIn }) => {
      if (!isShown) return;
      let first: Range | null = null;
      // The place may be in a part that is too far away to be drawn.
      latest.current.nearness?.reveal(row);
      stop = markIn(row, words, (place) => {
        first = place;
      });
      await latest.current.platform.painted();
      if (isShown && first !== null) latest.current.steady.reach(first);
    });
    return () => {
      isShown = false;
      stop();
    };
  }, [scroller, found, latest]);
}

/** Brings the row into sight and gives it, or what in it is to be operated, the focus; again only when asked again. */
function useFound({ scroller, steady, found }: Found, follow: (following: boolean) => void): void {
  const shown = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that come later must not scroll again
  useEffect(() => {
    if (found === null || shown.current === found.at) return;
    const row = scroller.current?.querySelector<HTMLElement>(".row.found");
    if (!row) return;
    shown.current = found.at;
    follow(found.atEnd);
    steady.show(row, found.atEnd ? "end" : "center");
    if (found.words !== null) return;
    (row.querySelector<HTMLElement>("[data-first]") ?? row).focus({ preventScroll: true });
  }, [found]);
}
