/** Below the transcript: who else runs the session, what is queued, and the box to say more. */

import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { useCan } from "../../components/can";
import { ErrorNote } from "../../components/ErrorNote";
import { KeyButton } from "../../components/keys/KeyButton";
import { useApp, useArki, useAsking, useOverview } from "../../platform/context";
import type { CommandError, SendOptions, SessionSummary, Shown } from "../../protocol/generated";
import { isUnfinished } from "../../protocol/sessions";
import { Composer, type ComposerProps, type Draft } from "./Composer";
import { Elicitations, LiveLine, NextStep, QueueList, ResultCard } from "./parts";

type Given = "decides" | "inputRef" | "onSend" | "onStop" | "onPause" | "onOpenFolder";

export type FootProps = Pick<ComposerProps, Given> & {
  shown: Shown;
  /** Why its folder can't be opened. */
  unavailable: CommandError | null;
  session: SessionSummary | null;
  /** Words to be put into the message box of this session. */
  draft: Draft | null;
  onDraftTaken: () => void;
  error: CommandError | null;
  options: SendOptions;
  onKey: (provider: string) => void;
  attempt: (work: () => Promise<unknown>) => Promise<boolean>;
  onRetryNow: () => void;
  onSendNext: () => void;
  onPutBack: (text: string) => void;
  /** Shows what the session came to. */
  onReview: () => void;
};

export function Foot(props: FootProps) {
  const { sessionId } = props.shown;
  if (sessionId === null) return <Box {...props} run={null} blocked={reason(props)} above={null} />;
  return <SessionFoot {...props} sessionId={sessionId} />;
}

/** Whose unsent words these are, in every language: a new session is one of its folder. */
export function draftOf({ folder, sessionId }: Shown): string {
  return sessionId ?? `new:${folder}`;
}

function reason({ unavailable }: FootProps): string | null {
  return unavailable && `${unavailable.message} ${unavailable.hint}`;
}

function SessionFoot(props: FootProps & { sessionId: string }) {
  const { sessionId, session } = props;
  const arki = useArki();
  const { overview, queue } = useOverview(sessionId);
  const run = runOf(session);
  const asks = useAsking().some((one) => one.sessionId === sessionId);
  const broken = overview !== null && overview.brokenAt !== null;
  const blocked = broken ? t`This session is read-only: its log is damaged.` : reason(props);
  return (
    <Box
      {...props}
      run={broken ? null : run}
      asks={asks && !broken}
      blocked={blocked}
      above={
        <>
          {overview?.runBy != null && run && (
            <p className="foot-note">
              <span className="grow">
                {t`Another Arki is running this session (process ${overview.runBy}). You can watch, stop and pause it here.`}
              </span>
            </p>
          )}
          {run === "running" && !asks && (
            <LiveLine sessionId={sessionId} onAskAgain={overview?.runBy == null ? props.onRetryNow : null} />
          )}
          {run === null && overview !== null && overview.changedFiles.length > 0 && (
            <ResultCard sessionId={sessionId} onReview={props.onReview} />
          )}
          {overview !== null && (
            <NextStep
              sessionId={sessionId}
              hasChanged={overview.changedFiles.length > 0}
              isIdle={run === null}
            />
          )}
          <QueueList
            queue={queue}
            onChange={(change) => void props.attempt(() => arki.session(sessionId).overview.setQueue(change))}
            onSendNext={run === null && !broken ? props.onSendNext : null}
            onPutBack={props.onPutBack}
          />
        </>
      }
    />
  );
}

type BoxProps = FootProps & Pick<ComposerProps, "run" | "asks" | "blocked"> & { above: ReactNode };

function Box({ above, error, options, onKey, session, draft, onDraftTaken, blocked, ...given }: BoxProps) {
  const { shown } = given;
  const can = useCan();
  const looksOn = can("send_message") ? null : t`You can look on here, and send nothing.`;
  return (
    <div className="conversation-foot">
      <Elicitations shown={shown} />
      {above}
      {error && <SendError error={error} sessionId={shown.sessionId} model={options.model} onKey={onKey} />}
      <Composer
        {...given}
        draftOf={draftOf(shown)}
        of={shown}
        title={shown.sessionId && (session?.title || t`an untitled session`)}
        blocked={blocked ?? looksOn}
        given={draft}
        onGiven={onDraftTaken}
      />
    </div>
  );
}

type SendErrorProps = {
  error: CommandError;
  sessionId: string | null;
  /** Where another than the default was chosen. */
  model: string | null;
  onKey: (provider: string) => void;
};

/** Why a message was not sent. Its key is that of the model it would have gone to. */
function SendError({ error, sessionId, model, onKey }: SendErrorProps) {
  const arki = useArki();
  const app = useApp();
  const own = sessionId === null ? null : arki.session(sessionId).overview.state.get().overview?.model;
  const provider = (model ?? own ?? app?.defaultModel)?.split("/")[0] ?? null;
  return (
    <ErrorNote error={error}>
      <KeyButton code={error.code} provider={provider} onKey={onKey} />
    </ErrorNote>
  );
}

function runOf(session: SessionSummary | null): BoxProps["run"] {
  const state = session?.state;
  if (state === undefined || !isUnfinished(state)) return null;
  return state === "waiting" || state === "paused" ? state : "running";
}
