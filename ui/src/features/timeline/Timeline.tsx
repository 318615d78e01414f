/** What happened: the session's events as stored, compact, filtered, each to be opened; or its observations. */
import { plural, t } from "@lingui/core/macro";
import { useId, useMemo, useState } from "react";
import { VList } from "virtua";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { copyText } from "../../components/copy";
import { Disclosure } from "../../components/Disclosure";
import { clock, exactTime } from "../../components/format";
import { useArki, useSessionPart } from "../../platform/context";
import { storedKind } from "../../protocol/events";
import type { Event, ObservationType } from "../../protocol/generated";
import { Observations } from "./Observations";
import { observationTypes, observationWords } from "./observation_words";
import { filterEvents, kinds, summary } from "./summary";
import { titleOf } from "./titles";
import "./timeline.css";

type Props = {
  sessionId: string;
  /** Shows the event in the transcript. */
  onShow: (seq: number) => void;
  /** Another session that begins as this one stood after the event. */
  onFork: (seq: number) => void;
};

export function Timeline({ sessionId, onShow, onFork }: Props) {
  const window = useSessionPart(sessionId, (view) => view.window);
  const [kind, setKind] = useState("");
  const [words, setWords] = useState("");
  return (
    <div className="timeline">
      <div className="timeline-bar">
        <select
          className="field"
          aria-label={t`Kind of event`}
          value={kind}
          onChange={(event) => setKind(event.target.value)}
        >
          <option value="">{t`All kinds`}</option>
          {kinds(window.events).map((one) => (
            <option key={one} value={one}>
              {titleOf(one)}
            </option>
          ))}
          <optgroup label={t`Observations`}>
            <option value={observed}>{t`All observations`}</option>
            {observationTypes.map((one) => (
              <option key={one} value={observed + one}>
                {observationWords(one)}
              </option>
            ))}
          </optgroup>
        </select>
        <input
          className="field"
          type="search"
          aria-label={t`Filter events`}
          placeholder={t`Filter`}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      {kind.startsWith(observed) ? (
        <Observations sessionId={sessionId} type={typeIn(kind)} words={words} onShow={onShow} />
      ) : (
        <Events sessionId={sessionId} kind={kind} words={words} onShow={onShow} onFork={onFork} />
      )}
    </div>
  );
}

/** Before the type of observations, among the kinds to choose from; alone it is every type. */
const observed = "observation:";

const typeIn = (kind: string): ObservationType | null =>
  observationTypes.find((type) => kind === observed + type) ?? null;

function Events({ sessionId, kind, words, onShow, onFork }: Props & { kind: string; words: string }) {
  const window = useSessionPart(sessionId, (view) => view.window);
  const fetching = useSessionPart(sessionId, (view) => view.fetching);
  const session = useArki().session(sessionId);
  const newestFirst = useMemo(
    () => filterEvents(window.events, kind, words).reverse(),
    [window.events, kind, words],
  );
  return (
    <>
      {newestFirst.length === 0 ? (
        <p className="empty secondary">
          {window.events.length === 0 ? t`No events yet.` : t`No matching events.`}
        </p>
      ) : (
        <VList className="timeline-list">
          {newestFirst.map((event) => (
            <Entry key={event.eventId} event={event} onShow={onShow} onFork={onFork} />
          ))}
        </VList>
      )}
      <div className="timeline-foot small secondary">
        <span className="grow">
          {plural(newestFirst.length, { one: "# event", other: "# events" })}
          {window.hasOlder ? t` of those loaded` : ""}
        </span>
        {window.hasNewer && (
          <Button small look="quiet" disabled={fetching !== null} onClick={() => session.load()}>
            {t`Load newest`}
          </Button>
        )}
        {window.hasOlder && (
          <Button small look="quiet" disabled={fetching !== null} onClick={() => session.loadOlder()}>
            {t`Load earlier`}
          </Button>
        )}
      </div>
    </>
  );
}

type EntryProps = { event: Event; startsOpen?: boolean } & Omit<Props, "sessionId">;

export function Entry({ event, startsOpen = false, onShow, onFork }: EntryProps) {
  const [open, setOpen] = useState(startsOpen);
  const body = useId();
  const kind = storedKind(event);
  const json = open ? JSON.stringify(event.payload, null, 2) : "";
  return (
    <div className="entry">
      <Disclosure open={open} onToggle={() => setOpen(!open)} controls={body}>
        <span className="entry-type" title={kind}>
          {titleOf(kind)}
        </span>
        <span className="secondary cut grow">{summary(event)}</span>
        <span className="secondary small" title={t`${exactTime(event.ts)}, event ${event.seq}`}>
          {clock(event.ts)}
        </span>
      </Disclosure>
      {open && (
        <div id={body} className="entry-body">
          <pre tabIndex={0}>
            <VisibleText text={json} />
          </pre>
          <p className="entry-facts small secondary">
            <span className="cut grow" title={event.hash}>
              {event.seq} · {kind} · {event.hash.slice(0, 16)}
            </span>
            <Button small look="quiet" onClick={() => onShow(event.seq)}>
              {t`Show in transcript`}
            </Button>
            <Button small look="quiet" onClick={() => onFork(event.seq)}>
              {t`Fork from here`}
            </Button>
            <Button small look="quiet" onClick={() => copyText(JSON.stringify(event, null, 2))}>
              {t`Copy event`}
            </Button>
          </p>
        </div>
      )}
    </div>
  );
}
