/** The session's events as bars over time: what took how long, and what waited for whom. */
import { t } from "@lingui/core/macro";
import { Maximize2, X, ZoomIn, ZoomOut } from "lucide-react";
import { type CSSProperties, type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { Button } from "../../components/Button";
import { clock, duration, exactTime } from "../../components/format";
import { useSessionPart } from "../../platform/context";
import type { Event } from "../../protocol/generated";
import { Bare } from "./Bare";
import { LoadedFoot } from "./LoadedFoot";
import { type Filter, type Layout, layout, placeOf, type Row, timeAt, type View } from "./layout";
import { nameOf } from "./span_words";
import type { Span } from "./spans";
import { Entry } from "./Timeline";
import { fit, moved, viewOf, type Zoom, zoomed, zoomStep } from "./time_view";
import { useNow } from "./useNow";
import { WaterfallRow } from "./WaterfallRow";

type Props = {
  sessionId: string;
  onShow: (seq: number) => void;
  onFork: (seq: number) => void;
};

export function Waterfall({ sessionId, onShow, onFork }: Props) {
  const window = useSessionPart(sessionId, (view) => view.window);
  const now = useNow(sessionId);
  const [kind, setKind] = useState<Filter>("");
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState<Zoom>(fit);
  const [opened, setOpened] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const drawn = useMemo(() => {
    const edge = window.hasNewer ? "cut" : now === null ? "over" : { now };
    return layout(window.events, { edge, kind, toggled });
  }, [window, now, kind, toggled]);
  const details = opened === null ? null : (drawn.rows.find(({ span }) => span.key === opened)?.span ?? null);
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
      <div className="waterfall-bar">
        <KindFilter kind={kind} onKind={setKind} />
        <ZoomButtons zoom={zoom} onZoom={setZoom} drawn={drawn} />
      </div>
      {drawn.rows.length === 0 ? (
        <p className="empty secondary">
          {window.events.length === 0 ? t`No events yet.` : t`Nothing of this kind.`}
        </p>
      ) : (
        <Rows
          drawn={drawn}
          zoom={zoom}
          onZoom={setZoom}
          onToggle={toggle}
          onOpen={({ key }) => setOpened(key)}
          onClose={details === null ? null : close}
        />
      )}
      {details && (
        <Details key={details.key} span={details} onClose={close} onShow={onShow} onFork={onFork} />
      )}
      <LoadedFoot count={window.events.length} sessionId={sessionId} />
    </div>
  );
}

function KindFilter({ kind, onKind }: { kind: Filter; onKind: (kind: Filter) => void }) {
  const kinds: [Filter, string][] = [
    ["", t`Everything`],
    ["model", t`Model calls`],
    ["tool", t`Tool calls`],
    ["agent", t`Sub-agents`],
    ["wait", t`Waiting`],
    ["hook", t`Hooks`],
  ];
  return (
    <select
      className="field"
      aria-label={t`Kind of bar`}
      value={kind}
      onChange={(event) => onKind(kinds.find(([one]) => one === event.target.value)?.[0] ?? "")}
    >
      {kinds.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

type ZoomProps = { zoom: Zoom; onZoom: (zoom: Zoom) => void; drawn: Layout };

function ZoomButtons({ zoom, onZoom, drawn: { scale } }: ZoomProps) {
  const most = 1000;
  return (
    <>
      <Button
        small
        look="quiet"
        label={t`Zoom time out`}
        shortcut="-"
        icon={<ZoomOut size={16} aria-hidden />}
        disabled={zoom.factor === 1}
        onClick={() => onZoom(zoomed(zoom, 1 / zoomStep, scale))}
      />
      <Button
        small
        look="quiet"
        label={t`Zoom time in`}
        shortcut="+"
        icon={<ZoomIn size={16} aria-hidden />}
        onClick={() => onZoom(zoomed(zoom, zoomStep, scale))}
      />
      <Button
        small
        look="quiet"
        label={t`Show all the time`}
        shortcut="0"
        icon={<Maximize2 size={16} aria-hidden />}
        disabled={zoom.factor === 1}
        onClick={() => onZoom(fit)}
      />
      {zoom.factor > 1 && (
        <input
          type="range"
          className="waterfall-part"
          aria-label={t`Part of the time that is shown`}
          aria-valuetext={exactTime(timeAt(scale, viewOf(scale, zoom).from))}
          min={0}
          max={most}
          value={Math.round((most * zoom.start) / (1 - 1 / zoom.factor))}
          onChange={(event) =>
            onZoom(moved(zoom, (Number(event.target.value) / most) * (1 - 1 / zoom.factor)))
          }
        />
      )}
    </>
  );
}

type RowsProps = ZoomProps & {
  onToggle: (span: Span) => void;
  onOpen: (span: Span) => void;
  onClose: (() => void) | null;
};

const pageRows = 20;

function Rows({ drawn, zoom, onZoom, onToggle, onOpen, onClose }: RowsProps) {
  const { rows, scale } = drawn;
  const [key, setKey] = useState<string | null>(null);
  const list = useRef<VirtualizerHandle>(null);
  const ids = useId();
  const view = viewOf(scale, zoom);
  const at = Math.max(
    0,
    rows.findIndex(({ span }) => span.key === key),
  );
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
    const middle = placeOf(scale, (row.span.from + row.span.to) / 2);
    const to = movedTo(event.key, at, rows);
    const nearer = zoomKeys[event.key];
    if (to !== null) go(to);
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") onToggle(row.span);
    else if (event.key === "Enter" || event.key === " ") act(row);
    else if (nearer !== undefined) onZoom(nearer === 0 ? fit : zoomed(zoom, nearer, scale, middle));
    else if (event.key === "Escape" && onClose) onClose();
    else return;
    event.preventDefault();
  };
  return (
    <div className="waterfall-rows" style={{ "--pauses": pauseBands(drawn, view) } as CSSProperties}>
      <Axis drawn={drawn} view={view} />
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
              view={view}
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

const zoomKeys: Readonly<Record<string, number>> = {
  "+": zoomStep,
  "=": zoomStep,
  "-": 1 / zoomStep,
  "0": 0,
};

/** Null where the key leads to no other row; an arrow that unfolds or folds this one doesn't. */
function movedTo(key: string, at: number, rows: readonly Row[]): number | null {
  const open = rows[at]?.open ?? null;
  switch (key) {
    case "ArrowDown":
      return at + 1;
    case "ArrowUp":
      return at - 1;
    case "PageDown":
      return at + pageRows;
    case "PageUp":
      return at - pageRows;
    case "Home":
      return 0;
    case "End":
      return rows.length - 1;
    case "ArrowRight":
      return open === false ? null : open ? at + 1 : at;
    case "ArrowLeft":
      return open ? null : parentOf(rows, at);
    default:
      return null;
  }
}

/** Itself at the top. */
function parentOf(rows: readonly Row[], at: number): number {
  const level = rows[at]?.level ?? 1;
  const parent = rows.findLastIndex((row, place) => place < at && row.level < level);
  return parent === -1 ? at : parent;
}

const shares = [0, 1 / 3, 2 / 3];
/** Of the axis, in hundredths. */
const labelRoom = 20;

/** Clock times, and how long each pause was that is drawn short. Rows say the same to screen readers. */
function Axis({ drawn: { scale }, view }: { drawn: Layout; view: View }) {
  const share = (place: number) => (100 * (place - view.from)) / view.length;
  let free = 0;
  const labels = scale.pauses.flatMap((pause) => {
    const left = share(pause.at);
    if (left < free || left > 100 || share(pause.at + pause.drawn) < 0) return [];
    free = left + labelRoom;
    // At the end of the axis there is room before it alone.
    const end = 100 - share(pause.at + pause.drawn);
    const place: CSSProperties =
      left > 100 - labelRoom
        ? { insetInlineEnd: `${Math.max(0, end)}%` }
        : { insetInlineStart: `${Math.max(0, left)}%` };
    return [{ place, words: duration(pause.to - pause.from), key: pause.from }];
  });
  return (
    <div className="waterfall-axis small secondary" aria-hidden>
      <div className="span-track">
        {shares.map((one) => {
          const ts = timeAt(scale, view.from + one * view.length);
          return (
            <span
              key={one}
              className="axis-time"
              style={{ insetInlineStart: `${100 * one}%` }}
              title={exactTime(ts)}
            >
              {clock(ts)}
            </span>
          );
        })}
      </div>
      {labels.length > 0 && (
        <div className="span-track">
          {labels.map(({ place, words, key }) => (
            <span key={key} className="axis-pause" style={place}>
              {words}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** The bands behind all bars that mark the pauses in sight. */
function pauseBands({ scale }: Layout, view: View): string {
  const share = (place: number) =>
    `${Math.min(100, Math.max(0, (100 * (place - view.from)) / view.length)).toFixed(3)}%`;
  const seen = scale.pauses.filter(({ at, drawn }) => at + drawn > view.from && at < view.from + view.length);
  if (seen.length === 0) return "none";
  const stops = seen.flatMap(({ at, drawn }) => {
    const [from, to] = [share(at), share(at + drawn)];
    return [`transparent ${from}`, `var(--pause) ${from}`, `var(--pause) ${to}`, `transparent ${to}`];
  });
  return `linear-gradient(90deg, ${stops.join(", ")})`;
}

type DetailsProps = { span: Span; onClose: () => void } & Omit<Props, "sessionId">;

/** The span's events as they are stored; the last says most: it is open. */
function Details({ span, onClose, onShow, onFork }: DetailsProps) {
  const last: Event | undefined = span.events.at(-1);
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
        <h3 id={title} className="cut grow">
          {nameOf(span)}
        </h3>
        <Button
          small
          look="quiet"
          label={t`Close details`}
          shortcut="Escape"
          icon={<X size={16} aria-hidden />}
          onClick={onClose}
        />
      </div>
      {span.events.map((event) => (
        <Entry
          key={event.eventId}
          event={event}
          startsOpen={event === last}
          onShow={onShow}
          onFork={onFork}
        />
      ))}
    </section>
  );
}
