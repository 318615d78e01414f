/** What is being said and done in one session, and the box to say more. */
import { type ReactNode, useEffect } from "react";
import { useActsAt } from "../../components/useActs";
import { useArki, useCatalogue, useSessions } from "../../platform/context";
import type { QueueMode } from "../../protocol/generated";
import { draftOf, Foot, type FootProps } from "./Foot";
import { type TypedCommand, typedCommand } from "./menu/typed";
import { Said } from "./parts";
import { dismissRefusals, picturesOf, takeOut } from "./pictures/draft_pictures";
import type { SaidProps } from "./Said";
import "./conversation.css";

type OfSaid = Omit<SaidProps, "sessionId" | "session" | "onResume" | "onAnswered">;
type Begun = "session" | "error" | "attempt" | "onSend" | "onStop" | "onPause" | "onRetryNow" | "onSendNext";

type Props = OfSaid &
  Omit<FootProps, Begun> & {
    /** Answers whether the window has carried it out; everything else is for the engine. */
    onCommand: (command: TypedCommand) => boolean;
    onSent: (sessionId: string) => void;
    /** The past is shown: nothing can be said to it. */
    replaying: boolean;
    /** What stands in the place of a session that has not begun. */
    start: ReactNode;
  };

export function Conversation(props: Props) {
  const { shown, options } = props;
  const { sessionId } = shown;
  const arki = useArki();
  const session = useSessions().find((one) => one.sessionId === sessionId) ?? null;
  const { error, attempt, hush } = useActsAt(draftOf(shown));
  const catalogue = useCatalogue();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another model or another key may be the remedy
  useEffect(hush, [catalogue, options.model, hush]);
  const send = async (text: string, mode: QueueMode | null) => {
    const command = typedCommand(text);
    if (command && props.onCommand(command)) return true;
    const draft = picturesOf(draftOf(shown));
    const { pictures } = draft.get();
    return attempt(async () => {
      const sent = await arki.platform.call("send_message", {
        to: shown,
        text,
        pictures: pictures.length === 0 ? null : pictures.map((one) => one.data),
        options,
        mode,
      });
      takeOut(draft, pictures);
      dismissRefusals(draft);
      props.onSent(sent.sessionId);
    });
  };
  const tell = (name: "retry_now" | "stop_run" | "pause_run") => () => {
    if (sessionId !== null) void attempt(() => arki.platform.call(name, { sessionId }));
  };
  const begin = (name: "resume_run" | "send_next") => () =>
    void attempt(() => arki.platform.call(name, { of: shown }));
  return (
    <>
      {sessionId === null ? (
        props.start
      ) : (
        <Said
          key={sessionId}
          {...props}
          sessionId={sessionId}
          session={session}
          onResume={begin("resume_run")}
          onAnswered={() => props.inputRef.current?.focus()}
        />
      )}
      {!props.replaying && (
        <Foot
          key={`foot of ${draftOf(shown)}`}
          {...props}
          session={session}
          error={error}
          attempt={attempt}
          onSend={send}
          onStop={tell("stop_run")}
          onPause={tell("pause_run")}
          onRetryNow={tell("retry_now")}
          onSendNext={begin("send_next")}
        />
      )}
    </>
  );
}
