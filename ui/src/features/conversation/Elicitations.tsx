/** What MCP servers ask in the session that is shown or its sub-agent's, or somewhere in its folder; above the message box. */
import { useApp, useArki, useElicitations, useSessions } from "../../platform/context";
import { decidedIn } from "../../protocol/sessions";
import { ElicitationCard } from "./ElicitationCard";

export function Elicitations({ sessionId }: { sessionId: string | null }) {
  const arki = useArki();
  const sessions = useSessions();
  const open = useApp()?.project?.path ?? null;
  const project = sessions.find((one) => one.sessionId === sessionId)?.project ?? open;
  const here = useElicitations().filter((one) =>
    one.sessionId === null
      ? one.project === project
      : one.sessionId === sessionId || decidedIn(sessions, one.sessionId) === sessionId,
  );
  if (here.length === 0) return null;
  return (
    <div className="elicitations">
      {here.map((asked) => (
        <ElicitationCard
          key={asked.id}
          asked={asked}
          onReply={(reply) => arki.platform.call("answer_elicitation", { id: asked.id, reply })}
        />
      ))}
    </div>
  );
}
