/** A request that failed and is about to be sent again: why, when, and not to wait for it. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useState } from "react";
import { Button } from "../../components/Button";
import { useSecondsUntil } from "../../components/countdown";
import { useSessionView } from "../../platform/context";

const reasons: Readonly<Record<string, MessageDescriptor>> = {
  PROVIDER_RATE_LIMITED: msg`The provider asks Arki to slow down.`,
  PROVIDER_STREAM_CUT: msg`The connection to the provider was lost.`,
  PROVIDER_TIMEOUT: msg`The provider didn't answer in time.`,
  PROVIDER_UNREACHABLE: msg`The provider can't be reached.`,
};

type Props = {
  sessionId: string;
  /** Null where another process does the waiting. */
  onRetryNow: (() => void) | null;
};

export function RetryNote({ sessionId, onRetryNow }: Props) {
  const { transcript, live } = useSessionView(sessionId);
  const { retry } = transcript;
  if (retry === null || live.answer !== null) return null;
  return <Countdown key={`${retry.at}:${retry.attempt}`} retry={retry} onRetryNow={onRetryNow} />;
}

type CountdownProps = {
  retry: { at: number; code: string; attempt: number };
  onRetryNow: Props["onRetryNow"];
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
