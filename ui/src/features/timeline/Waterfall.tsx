/** The session's events as bars over time: what took how long, and what waited for whom. */
import { t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { type CSSProperties, type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { useNow } from "../../components/countdown";
import { readingKey } from "../../components/direction";
import { clock, duration, exactTime } from "../../components/format";
import { IconButton } from "../../components/IconButton";
import { useSessionPart, useSessions } from "../../platform/context";
import type { Event } from "../../protocol/generated";
import { isUnfinished } from "../../protocol/sessions";
import { LoadedFoot } from "./LoadedFoot";
import { layout, placeOf, type Row, type Scale } from "./layout";
import { nameOf } from "./span_words";
import type { Span } from "./spans";
import { Entry, type EventActions } from "./Timeline";
import { movedTo, rowOf, spanWith } from "./tree_keys";
import { Bare, WaterfallRow } from "./WaterfallRow";

type Props = EventActions & { sessionId: string };

export function Waterfall({ sessionId, ...actions }: Props) {
  const window = useSessionPart(sessionId, (view) => view.window);
  const state = useSessions().find((one) => one.sessionId === sessionId)?.state;
  const now = useNow(state !== undefined && isUnfinished(state));
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const drawn = useMemo(() => {
    const edge = window.hasNewer ? "cut" : now === null ? "over" : { now };
    return layout(window.events, { edge, toggled });
  }, [window, now, toggled]);
  const details = opened === null ? null : spanWith(drawn.spans, opened);
  const toggle = ({ key }: Span) => {
    const next = new Set(toggled);
    if (!next.delete(key)) next.add(key);
    setToggled(next);
  };
  const close = () => {
    setOpened(null);
    box.current?.querySelector<HTMLElement>("[role=tree]")?.focus();
  };
  return (
    <div ref={box} className="waterfall">
      {drawn.rows.length === 0 ? (
        <p className="empty secondary">{t`No events yet.`}</p>
      ) : (
        <Rows
          rows={drawn.rows}
          scale={drawn.scale}
          onToggle={toggle}
          onOpen={({ key }) => setOpened(key)}
          onClose={details === null ? null : close}
        />
      )}
      {details && <Details key={details.key} span={details} onClose={close} {...actions} />}
      <LoadedFoot count={window.events.length} sessionId={sessionId} />
    </div>
  );
}

type RowsProps = {
  scale: Scale;
  rows: readonly Row[];
  onToggle: (span: Span) => void;
  onOpen: (span: Span) => void;
  onClose: (() => void) | null;
};

function Rows({ rows, scale, onToggle, onOpen, onClose }: RowsProps) {
  const [key, setKey] = useState<string | null>(null);
  const list = useRef<VirtualizerHandle>(null);
  const ids = useId();
  const at = rowOf(rows, key);
  const go = (to: number) => {
    const place = Math.min(rows.length - 1, Math.max(0, to));
    setKey(rows[place]?.span.key ?? null);
    list.current?.scrollToIndex(place, { align: "nearest" });
  };
  const act = (row: Row) => {
    setKey(row.span.key);
    if (row.span.events.length > 0) onOpen(row.span);
    else if (row.open !== null) onToggle(row.span);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = movedTo(readingKey(event.key), at, rows);
    if (to !== null) go(to);
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") onToggle(row.span);
    else if (event.key === "Enter" || event.key === " ") act(row);
    else if (event.key === "Escape" && onClose) onClose();
    else return;
    event.preventDefault();
  };
  return (
    <div className="waterfall-rows" style={{ "--pauses": pauseBands(scale) } as CSSProperties}>
      <WaterfallAxis scale={scale} />
      <div
        className="waterfall-list"
        role="tree"
        aria-label={t`Waterfall`}
        aria-activedescendant={`${ids}${at}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <Virtualizer ref={list} data={rows} keepMounted={[at]} as={Bare} item={Bare}>
          {(row, place) => (
            <WaterfallRow
              key={row.span.key}
              id={`${ids}${place}`}
              row={row}
              scale={scale}
              active={place === at}
              onToggle={() => onToggle(row.span)}
              onOpen={() => act(row)}
            />
          )}
        </Virtualizer>
      </div>
    </div>
  );
}

type DetailsProps = { span: Span; onClose: () => void } & EventActions;

/** The span's events as they are stored; the last says most: it is open. */
function Details({ span, onClose, ...actions }: DetailsProps) {
  const last: Event | undefined = span.events.at(-1);
  const request = span.kind === "model" && span.events.find((event) => event.type === "engine.request");
  const title = useId();
  return (
    <section
      className="waterfall-details"
      aria-labelledby={title}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className="waterfall-details-head">
        <h3 id={title} className="cut grow" dir="auto">
          <VisibleText text={nameOf(span)} />
        </h3>
        {request && (
          <Button small look="quiet" onClick={() => actions.onSent(request.seq)}>
            {t`Show what was sent`}
          </Button>
        )}
        <IconButton label={t`Close details`} shortcut="Escape" icon={X} size={16} onClick={onClose} />
      </div>
      {span.events.map((event) => (
        <Entry key={event.eventId} event={event} startsOpen={event === last} {...actions} />
      ))}
    </section>
  );
}

/** Of the axis, in hundredths. */
const labelRoom = 20;

/** When it began and ended, and how long each pause was that is drawn short. Rows say the same to screen readers. */
function WaterfallAxis({ scale }: { scale: Scale }) {
  let free = 0;
  const labels = scale.pauses.flatMap(({ from, to }) => {
    const left = Math.min(placeOf(scale, from), 100 - labelRoom);
    if (left < free) return [];
    free = left + labelRoom;
    return [{ left, words: duration(to - from) }];
  });
  return (
    <div className="waterfall-axis small secondary" aria-hidden>
      <div className="axis-times">
        <span title={exactTime(scale.from)}>{clock(scale.from)}</span>
        <span title={exactTime(scale.to)}>{clock(scale.to)}</span>
      </div>
      {labels.length > 0 && (
        <div className="span-track">
          {labels.map(({ left, words }) => (
            <span key={left} className="axis-pause" style={{ insetInlineStart: `${left}%` }}>
              {words}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** The bands behind all bars that mark the pauses. */
function pauseBands(scale: Scale): string {
  if (scale.pauses.length === 0) return "none";
  const stops = scale.pauses.flatMap(({ from, to }) => {
    const [start, end] = [from, to].map((ts) => `${placeOf(scale, ts).toFixed(3)}%`);
    return [`transparent ${start}`, `var(--pause) ${start}`, `var(--pause) ${end}`, `transparent ${end}`];
  });
  return `linear-gradient(calc(var(--forth) * 90deg), ${stops.join(", ")})`;
}
