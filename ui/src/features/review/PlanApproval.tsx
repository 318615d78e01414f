import { plural, t } from "@lingui/core/macro";
import { type KeyboardEvent, useId } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { useIsOver } from "../../components/countdown";
import { ErrorNote } from "../../components/ErrorNote";
import { composes, matches } from "../../components/shortcuts";
import { expiresAt, type PendingApproval } from "../../protocol/approvals";
import { ApprovalFoot } from "./ApprovalFoot";
import { useDraft } from "./drafts";
import { HiddenWarning } from "./OwnText";
import { useResolve } from "./useResolve";

const maxRows = 20;

/** A plan that waits: what Arki means to do, with steps that the user can change before anything is done. */
export function PlanApproval({ approval }: { approval: PendingApproval }) {
  const [{ note, plan: own }, setDraft] = useDraft(approval.approvalId);
  const { sending, send } = useResolve(approval.approvalId);
  const [summary, field, first] = [useId(), useId(), useId()];
  const until = expiresAt(approval);
  const isOver = useIsOver(until);
  const { intent, steps, calls, leftOut } = planOf(approval.args);
  const text = own ?? steps.join("\n");
  const wanted = stepsOf(text);
  const answer = (decision: "approve" | "reject") => {
    if (sending.state !== "deciding" || (decision === "approve" && wanted.length === 0)) return;
    const isChanged = decision === "approve" && wanted.join("\n") !== stepsOf(steps.join("\n")).join("\n");
    void send({
      decision,
      hunks: null,
      edited: null,
      command: null,
      plan: isChanged ? wanted : null,
      note: note.trim() || null,
      previewHash: "",
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!matches(event, "Mod+Enter") || composes(event.nativeEvent)) return;
    event.preventDefault();
    event.stopPropagation();
    answer("approve");
  };
  return (
    <article className="approval" tabIndex={0} onKeyDown={onKeyDown} aria-describedby={summary}>
      <header className="approval-head" id={summary}>
        <p dir="auto">
          <VisibleText text={intent} />
        </p>
        <p className="secondary small">{approval.reason}</p>
      </header>
      <label className="small secondary" htmlFor={field}>
        {t`Steps of the plan, one per line`}
      </label>
      <textarea
        id={field}
        className="field"
        dir="auto"
        rows={Math.min(Math.max(wanted.length + 1, 2), maxRows)}
        value={text}
        disabled={sending.state !== "deciding" || isOver}
        onChange={(event) => setDraft({ plan: event.target.value })}
      />
      <HiddenWarning text={text} />
      {leftOut > 0 && (
        <p className="secondary small">
          {plural(leftOut, { one: "# more step is left out.", other: "# more steps are left out." })}
        </p>
      )}
      {calls.length > 0 && (
        <>
          <p className="small secondary" id={first}>
            {t`First calls`}
          </p>
          <ul className="plan-calls small" aria-labelledby={first}>
            {calls.map((call, place) => (
              <li key={`${place} ${call}`}>
                <VisibleText text={call} />
              </li>
            ))}
          </ul>
        </>
      )}
      {sending.error && <ErrorNote error={sending.error} />}
      <ApprovalFoot
        note={note}
        onNote={(next) => setDraft({ note: next })}
        state={sending.state}
        expiresAt={until}
        detail={intent}
        accept={t`Approve`}
        reject={t`Reject`}
        onAccept={() => answer("approve")}
        onReject={() => answer("reject")}
      />
    </article>
  );
}

function stepsOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function planOf(args: unknown): { intent: string; steps: string[]; calls: string[]; leftOut: number } {
  const fields = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  const texts = (value: unknown) =>
    Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
  const intent = typeof fields.intent === "string" ? fields.intent : "";
  const steps = texts(fields.steps).map((step) => step.replace(/\s+/g, " "));
  const leftOut = typeof fields.stepsLeftOut === "number" ? fields.stepsLeftOut : 0;
  return { intent, steps, calls: texts(fields.calls), leftOut };
}
