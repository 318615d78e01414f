/** Approving for longer than once: each way says in a sentence what it would allow, and the exact rule is at hand. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { type KeyboardEvent, useId, useMemo } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { RuleSentence, ruleSentence } from "../../components/RuleSentence";
import { composes, matches } from "../../components/shortcuts";
import { useAnswer } from "../../components/useAnswer";
import { useArki } from "../../platform/context";
import type { KeepScope } from "../../protocol/generated";
import { readRules } from "../../protocol/rules";
import type { Review } from "./useReview";

const choices: { scope: KeepScope; name: MessageDescriptor; shortcut: string }[] = [
  { scope: "session", name: msg`Approve for this session`, shortcut: "Mod+Shift+Enter" },
  { scope: "always", name: msg`Always approve`, shortcut: "Mod+Alt+Enter" },
];

/** The rules as the engine would store them, one a line; null while they are not known, and where none is offered. */
export function useProposedRule(approvalId: string): string | null {
  const { platform } = useArki();
  // Where that fails, approving this once is still possible, and says what is wrong.
  return useAnswer("proposed_rule", platform.can("add_rule") ? { approvalId } : null).answer;
}

/** The rule that may be kept with a review of a change, and what keeps it. */
export function useKeeping(approvalId: string, { left, all, decisions, actions }: Review) {
  const rule = useProposedRule(approvalId);
  // It covers the change as it was proposed, so that nothing of it may be decided otherwise yet.
  const isWhole = left.length === all.length && Object.keys(decisions.selected).length === 0;
  const offered = isWhole ? rule : null;
  const onKeep = (scope: KeepScope) =>
    offered !== null && actions.whole("accepted", { scope, rule: offered });
  return { onKeep, keep: offered !== null && <Keep rule={offered} onKeep={onKeep} /> };
}

export function keepKey(event: KeyboardEvent): KeepScope | null {
  if (composes(event.nativeEvent)) return null;
  return choices.find(({ shortcut }) => matches(event, shortcut))?.scope ?? null;
}

export function Keep({ rule, onKeep }: { rule: string; onKeep: (scope: KeepScope) => void }) {
  const id = useId();
  const read = useMemo(() => readRules(rule), [rule]);
  return (
    <div className="keep-ways">
      {choices.map(({ scope, name, shortcut }) => (
        <div key={scope} className="keep-choice">
          <Button
            small
            title={i18n._(name)}
            shortcut={shortcut}
            aria-describedby={read ? `${id}-${scope}` : id}
            onClick={() => onKeep(scope)}
          >
            {i18n._(name)}
          </Button>
          {read && (
            <span className="small secondary" id={`${id}-${scope}`}>
              {read.map((one, place) => (
                <span key={`${place}`} className="keep-sentence">
                  <RuleSentence text={ruleSentence(one, scope, null)} />
                </span>
              ))}
            </span>
          )}
        </div>
      ))}
      {/* What can't be put into words is shown as it is. */}
      <details open={read === null}>
        <summary className="small secondary">{t`Show rule`}</summary>
        <pre className="keep-rule" id={id}>
          <VisibleText text={rule} />
        </pre>
      </details>
    </div>
  );
}
