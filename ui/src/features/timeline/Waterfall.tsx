/** The session's events as bars over time: what took how long, and what waited for whom. */
import { t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { type CSSProperties, type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { readingKey } from "../../components/direction";
import { IconButton } from "../../components/IconButton";
import { useSessionPart } from "../../platform/context";
import type { Event } from "../../protocol/generated";
import { Bare } from "./Bare";
import { LoadedFoot } from "./LoadedFoot";
import { layout, type Row, type Scale } from "./layout";
import { nameOf } from "./span_words";
import type { Span } from "./spans";
import { Entry, type EventActions } from "./Timeline";
import { movedTo, rowOf, spanWith } from "./tree_keys";
import { useNow } from "./useNow";
import { pauseBands, WaterfallAxis } from "./WaterfallAxis";
import { WaterfallRow } from "./WaterfallRow";

type Props = EventActions & { sessionId: string };

export function Waterfall({ sessionId, ...actions }: Props) {
  const window = useSessionPart(sessionId, (view) => view.window);
  const now = useNow(sessionId);
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
