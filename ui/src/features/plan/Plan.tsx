/** The inspector's "Plan": what Arki means to do, step by step, and how far it is. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { useOverview } from "../../platform/context";
import type { PlanStepState, PlanUpdated } from "../../protocol/generated";
import "./plan.css";

const states: Readonly<Record<PlanStepState, { sign: string; words: MessageDescriptor }>> = {
  pending: { sign: "○", words: msg`to do` },
  in_progress: { sign: "◐", words: msg`in progress` },
  done: { sign: "✓", words: msg`done` },
  skipped: { sign: "–", words: msg`skipped` },
};

export function Plan({ sessionId }: { sessionId: string }) {
  const { overview, error } = useOverview(sessionId);
  if (error && overview === null) {
    return (
      <div className="empty">
        <ErrorNote error={error} />
      </div>
    );
  }
  const plan = overview?.plan ?? null;
  if (plan === null || plan.steps.length === 0) {
    return (
      <p className="empty secondary">
        {t`No plan yet. For larger tasks, Arki lists its steps and progress here.`}
      </p>
    );
  }
  return <Steps plan={plan} />;
}

function Steps({ plan }: { plan: PlanUpdated }) {
  const done = plan.steps.filter((step) => step.state === "done").length;
  return (
    <div className="plan">
      {plan.intent && (
        <p className="plan-intent" dir="auto">
          <VisibleText text={plan.intent} />
        </p>
      )}
      <p className="secondary small">
        {t`${done} of ${plural(plan.steps.length, { one: "# step", other: "# steps" })} done`}
      </p>
      <ol>
        {plan.steps.map((step, place) => (
          <li
            key={`${place}`}
            className={`plan-step ${step.state}`}
            aria-current={step.state === "in_progress" ? "step" : undefined}
          >
            <span className="plan-sign" aria-hidden>
              {states[step.state].sign}
            </span>
            <span className="grow" dir="auto">
              <VisibleText text={step.title} />
            </span>
            <span className="small secondary">{i18n._(states[step.state].words)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
