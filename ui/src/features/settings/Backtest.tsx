/** The past calls that a rule matches, and what it would decide about them. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { VisibleText } from "../../components/code/VisibleText";
import { folderName } from "../../components/format";
import type { BacktestResult, Decision, PastCallEntry } from "../../protocol/generated";
import type { ShowCall } from "./RuleForm";

const words: Readonly<Record<Decision, MessageDescriptor>> = {
  allow: msg`allowed`,
  review: msg`runs, with a review of its changes`,
  preview: msg`asks with a preview`,
  approval: msg`asks`,
  deny: msg`denied`,
};

export function Backtest({ result, onCall }: { result: BacktestResult; onCall: ShowCall }) {
  const { matched, matchedCount, changed, calls, leftOut } = result;
  const shown = matched.length;
  const past = plural(calls, { one: "# past call", other: "# past calls" });
  return (
    <section className="backtest after-label" aria-label={t`What the rule would change`}>
      <p role="status">
        {matchedCount === 0
          ? t`${past} looked at: the rule matches none.`
          : t`${past} looked at: the rule matches ${matchedCount} and would decide ${changed} differently.`}
      </p>
      {leftOut > 0 && (
        <p className="small secondary">
          {plural(leftOut, {
            one: "# call is left out: its folder no longer exists.",
            other: "# calls are left out: their folders no longer exist.",
          })}
        </p>
      )}
      <ul className="configured">
        {matched.map((call) => (
          <li key={`${call.sessionId} ${call.seq}`}>
            <PastCall call={call} onCall={onCall} />
          </li>
        ))}
      </ul>
      {matched.length < matchedCount && <p className="small secondary">{t`Only ${shown} are listed.`}</p>}
    </section>
  );
}

function PastCall({ call, onCall }: { call: PastCallEntry; onCall: ShowCall }) {
  const { toolId, decided, decision, withRule } = call;
  const about = `call-${call.sessionId}-${call.seq}`;
  const today = i18n._(words[decision]);
  const then = decided === null ? "" : t`Back then: ${i18n._(words[decided])}`;
  return (
    <>
      <p id={about} className="past-call">
        {toolId !== "run_command" && (
          <span className="secondary">
            <VisibleText text={toolId} />{" "}
          </span>
        )}
        <code>
          <VisibleText text={call.call} />
        </code>
      </p>
      <p className="small secondary" title={then}>
        {decision === withRule ? (
          t`${today}, unchanged`
        ) : (
          <>
            {today} <span aria-hidden>→</span>
            <span className="sr-only">{t`becomes`}</span> <strong>{i18n._(words[withRule])}</strong>
          </>
        )}
        {" · "}
        <button type="button" className="link" aria-describedby={about} onClick={() => onCall(call)}>
          <VisibleText text={call.title || t`Untitled session`} />
        </button>{" "}
        <VisibleText text={folderName(call.project)} />
      </p>
    </>
  );
}
