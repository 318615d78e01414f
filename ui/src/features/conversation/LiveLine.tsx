/** What a run does right now, and for how long; nothing where none works. Its words change once a second at most. */
import { t } from "@lingui/core/macro";
import { Button } from "../../components/Button";
import { plainText } from "../../components/code/ansi";
import { VisibleText } from "../../components/code/VisibleText";
import { useSecondsSince } from "../../components/countdown";
import { silentWords, workingWords } from "../../components/working_words";
import { useArki, useSessionView } from "../../platform/context";
import { type Working, workingOf } from "../../protocol/working";
import { RetryNote } from "./RetryNote";
import "./live_line.css";

/** After so many seconds without a word it is said, and the request can be made again. */
const silence = 10;

type Props = {
  sessionId: string;
  /** Null where another process works. */
  onAskAgain: (() => void) | null;
};

export function LiveLine({ sessionId, onAskAgain }: Props) {
  const { transcript, live, window } = useSessionView(sessionId);
  if (transcript.retry !== null && live.answer === null)
    return <RetryNote sessionId={sessionId} onRetryNow={onAskAgain} />;
  const working = workingOf({ transcript, live, events: window.events });
  return <Line sessionId={sessionId} working={working} onAskAgain={onAskAgain} />;
}

function Line({ sessionId, working, onAskAgain }: Props & { working: Working }) {
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
      <span className="live-line-said" aria-hidden>
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
