/** Lines above the message box: what a run does right now, why it waits, what it came to, and what comes next. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { plainText } from "../../components/code/ansi";
import { VisibleText } from "../../components/code/VisibleText";
import { useSecondsSince, useSecondsUntil } from "../../components/countdown";
import { cost, duration } from "../../components/format";
import { recall, remember } from "../../components/remembered";
import { silentWords, workingWords } from "../../components/working_words";
import { useArki, useSessionView } from "../../platform/context";
import { useStore } from "../../platform/stores/store";
import { type Check, lastChecks, lastRunEnd } from "../../protocol/checks";
import type { SessionLines } from "../../protocol/generated";
import { type Working, workingOf } from "../../protocol/working";

/** After so many seconds without a word it is said, and the request can be made again. */
const silence = 10;

type LiveProps = {
  sessionId: string;
  /** Null where another process works. */
  onAskAgain: (() => void) | null;
};

/** What a run does right now, and for how long; nothing where none works. Its words change once a second at most. */
export function LiveLine({ sessionId, onAskAgain }: LiveProps) {
  const { transcript, live, window } = useSessionView(sessionId);
  if (transcript.retry !== null && live.answer === null)
    return <RetryNote sessionId={sessionId} onRetryNow={onAskAgain} />;
  const working = workingOf({ transcript, live, events: window.events });
  return <Line sessionId={sessionId} working={working} onAskAgain={onAskAgain} />;
}

function Line({ sessionId, working, onAskAgain }: LiveProps & { working: Working }) {
  const session = useArki().session(sessionId);
  const seconds = useSecondsSince(() => working.since);
  const quiet = useSecondsSince(() => Math.max(working.since, session.heardAt()));
  const isSilent = working.kind === "model" && working.since > 0 && quiet >= silence;
  // Nothing is known of it yet where there is no beginning.
  const said = isSilent
    ? silentWords(working, quiet)
    : workingWords(working, working.since === 0 ? null : seconds);
  // Said once for each thing it does: a screen reader need not count along.
  const spoken = isSilent ? t`No words from the model` : workingWords(working, null);
  return (
    <div className="foot-note live-line">
      <span className="glyph glyph-running" aria-hidden>
        ◐
      </span>
      <span className="live-line-said cut" aria-hidden>
        <VisibleText text={said} />
      </span>
      <span className="sr-only" role="status">
        {spoken}
      </span>
      {working.kind === "call" && working.lastLine !== "" && (
        <code className="live-line-output small secondary cut grow" aria-hidden>
          <VisibleText text={plainText(working.lastLine).slice(-200)} />
        </code>
      )}
      {isSilent && onAskAgain && (
        <Button small onClick={onAskAgain} title={t`Ends this request and sends it again`}>
          {t`Retry`}
        </Button>
      )}
    </div>
  );
}

const reasons: Readonly<Record<string, MessageDescriptor>> = {
  PROVIDER_RATE_LIMITED: msg`The provider asks Arki to slow down.`,
  PROVIDER_STREAM_CUT: msg`The connection to the provider was lost.`,
  PROVIDER_TIMEOUT: msg`The provider didn't answer in time.`,
  PROVIDER_UNREACHABLE: msg`The provider can't be reached.`,
};

type RetryProps = {
  sessionId: string;
  /** Null where another process does the waiting. */
  onRetryNow: (() => void) | null;
};

/** A request that failed and is about to be sent again: why, when, and not to wait for it. */
export function RetryNote({ sessionId, onRetryNow }: RetryProps) {
  const { transcript, live } = useSessionView(sessionId);
  const { retry } = transcript;
  if (retry === null || live.answer !== null) return null;
  return <Countdown key={`${retry.at}:${retry.attempt}`} retry={retry} onRetryNow={onRetryNow} />;
}

type CountdownProps = Pick<RetryProps, "onRetryNow"> & {
  retry: { at: number; code: string; attempt: number };
};

function Countdown({ retry, onRetryNow }: CountdownProps) {
  const seconds = useSecondsUntil(retry.at);
  const [skipped, setSkipped] = useState(false);
  const waits = seconds > 0 && !skipped;
  const skip = () => {
    setSkipped(true);
    onRetryNow?.();
  };
  return (
    <p className="foot-note">
      <span className="grow">
        {/* Said once: a screen reader need not count along. */}
        <span role="status">{i18n._(reasons[retry.code] ?? msg`The provider returned an error.`)}</span>{" "}
        {waits ? t`Trying again in ${seconds} s (attempt ${retry.attempt}).` : t`Trying again…`}
      </span>
      {waits && onRetryNow && (
        <Button small onClick={skip}>
          {t`Retry now`}
        </Button>
      )}
    </p>
  );
}

type ResultProps = { sessionId: string; onReview: () => void };

/** What the last run came to, in one line that leads to the result; until something else is said. */
export function ResultCard({ sessionId, onReview }: ResultProps) {
  const arki = useArki();
  const lines = useStore(arki.lines.store).get(sessionId) ?? null;
  const { transcript, window } = useSessionView(sessionId);
  useEffect(() => arki.lines.want([sessionId]), [arki, sessionId]);
  const end = lastRunEnd(window.events);
  if (lines === null || end === null) return null;
  const told = [
    filesWords(lines),
    ...lastChecks(transcript).slice(0, mostChecks).map(checkWords),
    duration(end.ms),
    end.costUsd === null ? "" : cost(end.costUsd),
  ];
  return (
    <p className="foot-note small">
      <span className="grow">
        <VisibleText text={told.filter((words) => words !== "").join(" · ")} />
      </span>
      <Button small onClick={onReview}>{t`Show result`}</Button>
    </p>
  );
}

const mostChecks = 2;

const checkWords = ({ name, passed }: Check) => (passed ? t`${name} passed` : t`${name} failed`);

export function filesWords({ files, added, removed }: SessionLines): string {
  const count = plural(files, { one: "# file", other: "# files" });
  const lines = [added ? `+${added}` : "", removed ? `−${removed}` : ""].filter(Boolean).join(" ");
  return lines === "" ? count : `${count}, ${lines}`;
}

const firstChange = "first-change";

type NextProps = { sessionId: string; hasChanged: boolean; isIdle: boolean };

/** After the first change that was ever accepted: what comes next, in one line, until something is said. */
export function NextStep({ sessionId, hasChanged, isIdle }: NextProps) {
  /** The session of the first change, and "told" once it went on. */
  const [first, setFirst] = useState(() => recall(firstChange));
  const isNow = first === sessionId;
  useEffect(() => {
    const next = first === null && isIdle && hasChanged ? sessionId : isNow && !isIdle ? "told" : null;
    if (next === null) return;
    remember(firstChange, next);
    setFirst(next);
  }, [first, isNow, isIdle, hasChanged, sessionId]);
  if (!isNow || !isIdle) return null;
  return (
    <p className="foot-note small">
      {t`The change is in your folder. Say what comes next, or undo it with “Revert last” under Changes.`}
    </p>
  );
}
