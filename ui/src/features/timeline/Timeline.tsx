/** What happened: the session's events as stored, compact, filtered, each to be opened; or its observations. */
import { t } from "@lingui/core/macro";
import { useMemo, useState } from "react";
import { VList } from "virtua";
import { Button } from "../../components/Button";
import { copyText } from "../../components/copy";
import { exactTime } from "../../components/format";
import { WhyAsked } from "../../components/why/WhyAsked";
import { useSessionPart } from "../../platform/context";
import { storedKind } from "../../protocol/events";
import type { Event, ObservationType } from "../../protocol/generated";
import { LoadedFoot } from "./LoadedFoot";
import { LogEntry } from "./LogEntry";
import { Observations, observationTypes, observationWords } from "./Observations";
import { filterEvents, kinds, summary, titleOf } from "./summary";
import "./timeline.css";

/** What can be done with an event. */
export type EventActions = {
  /** Shows the event in the transcript. */
  onShow: (seq: number) => void;
  /** Another session that begins as this one stood after the event. */
  onFork: (seq: number) => void;
  /** Shows what was sent with a request. */
  onSent: (seq: number) => void;
};

type Props = EventActions & { sessionId: string };

export function Timeline({ sessionId, onShow, onFork, onSent }: Props) {
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
          dir="auto"
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
        <Events
          sessionId={sessionId}
          kind={kind}
          words={words}
          onShow={onShow}
          onFork={onFork}
          onSent={onSent}
        />
      )}
    </div>
  );
}

/** Before the type of observations, among the kinds to choose from; alone it is every type. */
const observed = "observation:";

const typeIn = (kind: string): ObservationType | null =>
  observationTypes.find((type) => kind === observed + type) ?? null;

function Events({ sessionId, kind, words, onShow, onFork, onSent }: Props & { kind: string; words: string }) {
  const window = useSessionPart(sessionId, (view) => view.window);
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
            <Entry key={event.eventId} event={event} onShow={onShow} onFork={onFork} onSent={onSent} />
          ))}
        </VList>
      )}
      <LoadedFoot count={newestFirst.length} sessionId={sessionId} />
    </>
  );
}

type EntryProps = { event: Event; startsOpen?: boolean } & EventActions;

export function Entry({ event, startsOpen, onShow, onFork, onSent }: EntryProps) {
  const kind = storedKind(event);
  return (
    <LogEntry
      title={titleOf(kind)}
      kind={kind}
      words={summary(event)}
      ts={event.ts}
      exactTime={t`${exactTime(event.ts)}, event ${event.seq}`}
      content={() => JSON.stringify(event.payload, null, 2)}
      startsOpen={startsOpen}
      asked={<WhyDecided event={event} />}
    >
      <span className="cut grow" title={event.hash}>
        {event.seq} · {kind} · {event.hash.slice(0, 16)}
      </span>
      {event.type === "engine.request" && (
        <Button small look="quiet" onClick={() => onSent(event.seq)}>
          {t`Show what was sent`}
        </Button>
      )}
      <Button small look="quiet" onClick={() => onShow(event.seq)}>
        {t`Show in transcript`}
      </Button>
      <Button small look="quiet" onClick={() => onFork(event.seq)}>
        {t`Fork from here`}
      </Button>
      <Button small look="quiet" onClick={() => copyText(JSON.stringify(event, null, 2))}>
        {t`Copy event`}
      </Button>
    </LogEntry>
  );
}

/** The user's own answer, and the same question put again, need no explanation. */
const unexplained = /^(approval:|builtin:stale-preview$)/;

function WhyDecided({ event }: { event: Event }) {
  if (event.type !== "policy.decided" || unexplained.test(event.payload.rule)) return null;
  const { callId } = event.payload;
  return (
    <WhyAsked
      question={t`Why was this decided?`}
      sessionId={event.sessionId}
      callId={callId}
      seq={event.seq}
    />
  );
}
