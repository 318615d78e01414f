/** Approving for longer than once: offered only together with the exact rule that would be stored. */
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { matches } from "../../components/shortcuts";
import { useArki } from "../../platform/context";
import type { KeepScope } from "../../protocol/generated";

const choices: { scope: KeepScope; name: string; shortcut: string }[] = [
  { scope: "session", name: "Approve for this session", shortcut: "Mod+Shift+Enter" },
  { scope: "always", name: "Always approve", shortcut: "Mod+Alt+Enter" },
];

/** The rule as the engine would store it; null while it is not known, and where none is offered. */
export function useProposedRule(approvalId: string): string | null {
  const { platform } = useArki();
  const [rule, setRule] = useState<string | null>(null);
  useEffect(() => {
    let gone = false;
    setRule(null);
    platform
      .call("proposed_rule", { approvalId })
      .then((proposed) => !gone && setRule(proposed))
      // Approving this once is still possible, and says what is wrong.
      .catch(() => undefined);
    return () => {
      gone = true;
    };
  }, [platform, approvalId]);
  return rule;
}

export function keepKey(event: KeyboardEvent): KeepScope | null {
  if (event.nativeEvent.isComposing) return null;
  return choices.find(({ shortcut }) => matches(event, shortcut))?.scope ?? null;
}

export function Keep({ rule, onKeep }: { rule: string; onKeep: (scope: KeepScope) => void }) {
  const described = useId();
  return (
    <div className="keep">
      <p className="small secondary">Or allow from now on, unasked, what this rule covers:</p>
      <pre className="keep-rule" id={described}>
        <VisibleText text={rule} />
      </pre>
      <div className="approval-buttons">
        {choices.map(({ scope, name, shortcut }) => (
          <Button
            key={scope}
            small
            title={name}
            shortcut={shortcut}
            aria-describedby={described}
            onClick={() => onKeep(scope)}
          >
            {name}
          </Button>
        ))}
      </div>
    </div>
  );
}
