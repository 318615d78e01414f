/** What is being said and done in one session, and the box to say more. */
import { type RefObject, useMemo, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { folderName } from "../../components/format";
import { useApp, useArki, useSessions, useSessionView } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, SendOptions, SessionSummary } from "../../protocol/generated";
import { isActive } from "../../protocol/sessions";
import { Composer } from "./Composer";
import type { RowActions } from "./RowView";
import { rowsOf } from "./rows";
import { Transcript } from "./Transcript";
import "./conversation.css";

export type ConversationProps = {
  sessionId: string | null;
  options: SendOptions;
  inputRef: RefObject<HTMLTextAreaElement | null>;
  onSent: (sessionId: string) => void;
  onReview: () => void;
  onSettings: () => void;
  onOpenProject: (path: string) => void;
};

export function Conversation(props: ConversationProps) {
  const { sessionId, options, inputRef, onSent } = props;
  const arki = useArki();
  const project = useApp()?.project ?? null;
  const session = useSessions().find((one) => one.sessionId === sessionId) ?? null;
  const [error, setError] = useState<CommandError | null>(null);
  const running = session !== null && isActive(session.state);
  const attempt = async (work: () => Promise<unknown>) => {
    setError(null);
    try {
      await work();
      return true;
    } catch (thrown) {
      setError(asCommandError(thrown));
      return false;
    }
  };
  const send = (text: string) =>
    attempt(async () => {
      const sent = await arki.platform.call("send_message", { sessionId, text, options });
      onSent(sent.sessionId);
    });
  const resume = () => sessionId && void attempt(() => arki.platform.call("resume_run", { sessionId }));
  const stop = () => sessionId && void attempt(() => arki.platform.call("stop_run", { sessionId }));
  return (
    <>
      {sessionId === null ? (
        <FirstWords
          project={project ? folderName(project.path) : ""}
          trusted={project?.trust === "trusted"}
        />
      ) : (
        <Said
          key={sessionId}
          onResume={resume}
          {...props}
          sessionId={sessionId}
          session={session}
          onSend={send}
        />
      )}
      <div className="conversation-foot">
        {session?.state === "interrupted" && (
          <p className="foot-note">
            <span className="grow">This run was interrupted before it finished.</span>
            <Button small onClick={resume}>
              Continue
            </Button>
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
        {error && <ErrorNote error={error} />}
        <Composer
          key={sessionId ?? "new"}
          draftOf={sessionId ?? "new"}
          inputRef={inputRef}
          running={running}
          blocked={project === null ? "Open a folder first: a message needs something to work on." : null}
          onSend={send}
          onStop={stop}
        />
      </div>
    </>
  );
}

type SaidProps = ConversationProps & {
  sessionId: string;
  session: SessionSummary | null;
  onSend: (text: string) => Promise<boolean>;
  onResume: () => void;
};

function Said({ sessionId, session, onSend, onResume, onReview, onSettings }: SaidProps) {
  const arki = useArki();
  const view = useSessionView(sessionId);
  const rows = useMemo(
    () => rowsOf(view.transcript, view.live, !view.window.hasNewer),
    [view.transcript, view.live, view.window.hasNewer],
  );
  const last = view.transcript.items.at(-1)?.key;
  const prompt = view.transcript.lastPrompt;
  const idle = session === null || !isActive(session.state);
  // biome-ignore lint/correctness/useExhaustiveDependencies: onSend changes each render but always sends to this session
  const actions = useMemo<RowActions>(
    () => ({
      onLink: (url) => void arki.platform.openLink(url).catch(() => undefined),
      onReview,
      onSettings,
      onTryAgain: () => prompt !== null && void onSend(prompt),
      canTryAgain: (key) => idle && prompt !== null && key === last,
    }),
    [arki, onReview, onSettings, prompt, last, idle],
  );
  return (
    <>
      {view.error && (
        <div className="conversation-error">
          <ErrorNote error={view.error}>
            <Button small onClick={() => arki.session(sessionId).load()}>
              Load again
            </Button>
          </ErrorNote>
        </div>
      )}
      {view.status === "loading" ? (
        <p className="empty secondary">Loading…</p>
      ) : (
        <Transcript view={view} rows={rows} actions={actions} />
      )}
      {view.transcript.run === "paused" && view.transcript.pausedFor === "budget" && (
        <p className="foot-note conversation-error">
          <span className="grow">A limit of this run was reached. Continuing gives it a fresh one.</span>
          <Button small onClick={onResume}>
            Continue
          </Button>
        </p>
      )}
    </>
  );
}

function FirstWords({ project, trusted }: { project: string; trusted: boolean }) {
  return (
    <div className="first-words">
      <h1>What should change in {project}?</h1>
      <p className="secondary">
        {trusted
          ? "Say it in your own words. Each edit waits for you on the right before it is written."
          : "The folder is not trusted: Arki can read it and answer, but not edit or run anything."}
      </p>
    </div>
  );
}
