/** Hooks that failed or objected: a line on a folded card, all they said on an open one, a note where there is no card. */
import { t } from "@lingui/core/macro";
import { VisibleText } from "../../components/code/VisibleText";
import { firstLine } from "../../components/tool_words";
import type { HookRan } from "../../protocol/generated";
import { hasFailed } from "../../protocol/hooks";
import { Pre } from "./CallCard";

type Props = { hooks: readonly HookRan[] };

export function FoldedHooks({ hooks }: Props) {
  return (
    <div className="tool-preview small">
      {hooks.map((ran, place) => (
        <p key={`${place}`} className="cut">
          <VisibleText text={firstLine(wordsOf(ran))} />
        </p>
      ))}
    </div>
  );
}

export function OpenHooks({ hooks }: Props) {
  return hooks.map((ran, place) => {
    const title = titleOf(ran);
    return (
      <section key={`${place}`}>
        <h4 className="tool-part small attention">
          <VisibleText text={title} />
        </h4>
        {ran.said && (
          <Pre label={title}>
            <VisibleText text={ran.said} />
          </Pre>
        )}
      </section>
    );
  });
}

export function HookNotice({ ran }: { ran: HookRan }) {
  return (
    <p className={`notice small ${ran.outcome === "off" ? "secondary" : "attention"}`}>
      <VisibleText text={wordsOf(ran)} />
    </p>
  );
}

const titleOf = (ran: HookRan) =>
  ran.outcome === "off" ? outcomeWords(ran) : `${hasFailed(ran) ? "!" : "✕"} ${outcomeWords(ran)}`;
const wordsOf = (ran: HookRan) => (ran.said ? `${titleOf(ran)}: ${ran.said}` : titleOf(ran));

function outcomeWords({ hook, event, outcome, exitCode }: HookRan): string {
  switch (outcome) {
    case "blocked":
      if (event === "PostToolUse") return t`The hook ${hook} objected`;
      if (event === "UserPromptSubmit") return t`The hook ${hook} blocked your message`;
      if (event === "Stop") return t`The hook ${hook} made the agent go on`;
      return t`The hook ${hook} blocked this`;
    case "asked":
      return t`The hook ${hook} wanted you to decide`;
    case "stopped":
      return t`The hook ${hook} stopped the run`;
    case "off":
      return t`The hook ${hook} is off`;
    case "timed_out":
      return t`The hook ${hook} took too long`;
    case "over_limit":
      return t`The hook ${hook} took more than a limit allows`;
    case "interrupted":
      return t`The hook ${hook} was interrupted: Arki closed while it ran`;
  }
  if (outcome == null && exitCode !== null) return t`The hook ${hook} ended with exit code ${exitCode}`;
  return t`The hook ${hook} failed`;
}
