/** What waits for the user, where it can be decided: beside its entry in the inbox, and a gate in its pipeline's run. */
import { useEffect, useRef } from "react";
import { ElicitationCard } from "../features/conversation/ElicitationCard";
import { QuestionCard } from "../features/conversation/QuestionCard";
import { ChangedSoFar } from "../features/history/ChangedSoFar";
import type { Waiting } from "../features/inbox/waiting";
import { OneReview } from "../features/review/Changes";
import { GateApproval } from "../features/review/GateApproval";
import { useApprovals, useArki, useElicitations, useQuestions, useSessions } from "../platform/context";
import type { PendingApproval } from "../protocol/approvals";
import type { Window } from "./use_window";

type Props = { of: Waiting; focusRequest: number; window: Window };

export function Thing({ of: { kind, id }, focusRequest, window }: Props) {
  const approval = useApprovals().find((one) => one.approvalId === id);
  if (kind !== "approval") return <Asked kind={kind} id={id} focusRequest={focusRequest} window={window} />;
  if (!approval) return null;
  if (approval.kind !== "gate") return <OneReview approval={approval} focusRequest={focusRequest} />;
  return (
    <div className="changes">
      <Gate approval={approval} focusRequest={focusRequest} window={window} />
    </div>
  );
}

type GateProps = { approval: PendingApproval; focusRequest?: number; window: Window };

/** With the changes that it is about. */
export function Gate({ approval, focusRequest = 0, window: { history } }: GateProps) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focusRequest !== 0) root.current?.querySelector<HTMLElement>(".approval")?.focus();
  }, [focusRequest]);
  const { sessionId } = approval;
  const folder = useSessions().find((one) => one.sessionId === sessionId)?.project ?? "";
  return (
    <div ref={root}>
      <GateApproval approval={approval} />
      <ChangedSoFar
        sessionId={sessionId}
        onLines={(by, path) => history.setAsking({ about: "lines", sessionId: by, path })}
        onEditor={(path) => history.open("open_in_editor", { folder, path })}
        onReveal={(path) => history.open("show_in_folder", { folder, path })}
      />
    </div>
  );
}

type AskedProps = { kind: Waiting["kind"]; id: string; focusRequest: number; window: Window };

/** A question of the model's, or a form of an MCP server's. */
function Asked({ kind, id, focusRequest, window: { history } }: AskedProps) {
  const { platform } = useArki();
  const root = useRef<HTMLDivElement>(null);
  const question = useQuestions().find((one) => kind === "question" && one.questionId === id);
  const form = useElicitations().find((one) => kind === "form" && `${one.id}` === id);
  useEffect(() => {
    if (focusRequest === 0 || root.current === null) return;
    const first = root.current.querySelector<HTMLElement>("[data-first], form :is(input, select, button)");
    first?.focus();
  }, [focusRequest]);
  return (
    <div className="asked" ref={root}>
      {question && (
        <QuestionCard
          question={{ ...question, answer: null }}
          state="waiting"
          onAnswer={async (questionId, text) => {
            await platform.call("answer_question", { sessionId: question.sessionId, questionId, text });
          }}
          onLink={(url, text) => history.setAsking({ about: "link", url, text })}
        />
      )}
      {form && (
        <ElicitationCard
          asked={form}
          onReply={(reply) => platform.call("answer_elicitation", { id: form.id, reply })}
        />
      )}
    </div>
  );
}
