/** What MCP servers ask in the session that is shown or its sub-agent's, or somewhere in its folder; above the message box. */
import { lazily } from "../../components/lazily";
import { useArki, useElicitations, useSessions } from "../../platform/context";
import type { Shown } from "../../protocol/generated";
import { decidedIn } from "../../protocol/sessions";

const ElicitationCard = lazily(() => import("./ElicitationCard").then((part) => part.ElicitationCard));

export function Elicitations({ shown: { folder, sessionId } }: { shown: Shown }) {
  const arki = useArki();
  const sessions = useSessions();
  const here = useElicitations().filter((one) =>
    one.sessionId === null
      ? one.project === folder
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
