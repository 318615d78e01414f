import { plural, t } from "@lingui/core/macro";
import { useId } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { List } from "../../components/List";
import { ReasonText } from "../../components/reason/ReasonText";
import type { PendingApproval } from "../../protocol/approvals";
import { show } from "../../protocol/read";
import { ApprovalFoot } from "./ApprovalFrame";
import { firstCall } from "./first_call";
import { HiddenWarning } from "./OwnText";
import { onApproveKey, useWholeDecision } from "./useWholeDecision";

const maxRows = 20;

/** A plan that waits: what Arki means to do, with steps that the user can change before anything is done. */
export function PlanApproval({ approval }: { approval: PendingApproval }) {
  const { draft, setDraft, answer, foot, error, isOver } = useWholeDecision(approval);
  const [summary, field, first] = [useId(), useId(), useId()];
  const { intent, steps, calls, leftOut } = planOf(approval.args);
  const text = draft.plan ?? steps.join("\n");
  const wanted = stepsOf(text);
  const approve = () => {
    if (wanted.length === 0) return;
    const isChanged = wanted.join("\n") !== stepsOf(steps.join("\n")).join("\n");
    answer("approve", { plan: isChanged ? wanted : null });
  };
  return (
    <article className="approval" tabIndex={0} onKeyDown={onApproveKey(approve)} aria-describedby={summary}>
      <header className="approval-head" id={summary}>
        <p dir="auto">
          <VisibleText text={intent} />
        </p>
        <p className="secondary small">
          <ReasonText reason={approval.reason} sentences={approval.sentences} />
        </p>
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
        disabled={foot.state !== "deciding" || isOver}
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
          <List className="plan-calls small" aria-labelledby={first}>
            {calls.map((call, place) => (
              <li key={`${place} ${call}`}>
                <FirstCall text={call} />
              </li>
            ))}
          </List>
        </>
      )}
      {error && <ErrorNote error={error} />}
      <ApprovalFoot {...foot} detail={intent} accept={t`Approve`} reject={t`Reject`} onAccept={approve} />
    </article>
  );
}

/** A call as a line; what it says besides is behind that. */
function FirstCall({ text }: { text: string }) {
  const { tool, main, args } = firstCall(text);
  const line = (
    <>
      <code className="tool-name">
        <VisibleText text={tool} />
      </code>{" "}
      <code>
        <VisibleText text={main} />
      </code>
    </>
  );
  if (args === null) return line;
  return (
    <details>
      <summary>{line}</summary>
      <pre className="output" tabIndex={0}>
        <VisibleText text={show(args)} />
      </pre>
    </details>
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
