/** Below the transcript: who else runs the session, what is queued, and the box to say more. */
import type { ReactNode, RefObject } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { folderName } from "../../components/format";
import { useApp, useArki, useAsking, useOverview } from "../../platform/context";
import type { CommandError, QueueMode, SessionSummary } from "../../protocol/generated";
import { isUnfinished } from "../../protocol/sessions";
import { Composer, type Draft } from "./Composer";
import { Elicitations } from "./Elicitations";
import { QueueList } from "./QueueList";
import { RetryNote } from "./RetryNote";

type Props = {
  sessionId: string | null;
  session: SessionSummary | null;
  draft: Draft | null;
  onDraftTaken: () => void;
  error: CommandError | null;
  inputRef: RefObject<HTMLTextAreaElement | null>;
  attempt: (work: () => Promise<unknown>) => Promise<boolean>;
  onSend: (text: string, mode: QueueMode | null) => Promise<boolean>;
  onStop: () => void;
  onPause: () => void;
  onRetryNow: () => void;
  onSendNext: () => void;
  onPutBack: (text: string) => void;
  onOpenProject: (path: string) => void;
};

export function Foot(props: Props) {
  const project = useApp()?.project ?? null;
  if (props.sessionId === null) {
    const blocked = project === null ? noFolder : null;
    return <Box {...props} run={null} blocked={blocked} above={null} />;
  }
  return <SessionFoot {...props} sessionId={props.sessionId} />;
}

const noFolder = "Open a folder first: a message needs something to work on.";

function SessionFoot(props: Props & { sessionId: string }) {
  const { sessionId, session } = props;
  const arki = useArki();
  const project = useApp()?.project ?? null;
  const { overview, queue } = useOverview(sessionId);
  const run = runOf(session);
  const asks = useAsking().some((one) => one.sessionId === sessionId);
  const broken = overview !== null && overview.brokenAt !== null;
  const blocked = broken
    ? "This session can only be read: its log is damaged."
    : project === null
      ? noFolder
      : null;
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
                Another Arki runs this session (process {overview.runBy}). You can watch, stop and pause it
                here.
              </span>
            </p>
          )}
          {session && project && session.project !== project.path && (
            <p className="foot-note">
              <span className="grow">
                This session belongs to <b>{folderName(session.project)}</b>, not to the open folder.
              </span>
              <Button small onClick={() => props.onOpenProject(session.project)}>
                Switch to {folderName(session.project)}
              </Button>
            </p>
          )}
          {run === "running" && (
            <RetryNote sessionId={sessionId} onRetryNow={overview?.runBy == null ? props.onRetryNow : null} />
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

type BoxProps = Props & {
  run: "running" | "waiting" | "paused" | null;
  asks?: boolean;
  blocked: string | null;
  above: ReactNode;
};

function Box({
  above,
  error,
  sessionId,
  draft,
  run,
  asks,
  blocked,
  inputRef,
  onSend,
  onStop,
  onPause,
  onDraftTaken,
}: BoxProps) {
  return (
    <div className="conversation-foot">
      <Elicitations sessionId={sessionId} />
      {above}
      {error && <ErrorNote error={error} />}
      <Composer
        draftOf={sessionId ?? "new"}
        inputRef={inputRef}
        run={run}
        asks={asks}
        blocked={blocked}
        given={draft}
        onGiven={onDraftTaken}
        onSend={onSend}
        onStop={onStop}
        onPause={onPause}
      />
    </div>
  );
}

function runOf(session: SessionSummary | null): BoxProps["run"] {
  const state = session?.state;
  if (state === undefined || !isUnfinished(state)) return null;
  return state === "waiting" || state === "paused" ? state : "running";
}
