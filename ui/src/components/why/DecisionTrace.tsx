/** How a decision of the policy came about: the check that made it, its rule, the commands of the line, what passed. */
import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { useContext, useState } from "react";
import type { CommandPart, PolicyTrace } from "../../protocol/generated";
import { readRule } from "../../protocol/rules";
import { Button } from "../Button";
import { CommandText } from "../code/CommandText";
import { VisibleText } from "../code/VisibleText";
import { ErrorNote } from "../ErrorNote";
import { List } from "../List";
import { RuleSentence, ruleSentence } from "../RuleSentence";
import { ShowMore } from "../ShowMore";
import { useAnswer } from "../useAnswer";
import { OpenRulesContext } from "./open_rules";
import {
  allAreKnown,
  checkTopics,
  decidedBy,
  decidedSentence,
  isOfSettings,
  readingWords,
} from "./trace_words";

type Props = { sessionId: string; callId: string; seq: number | null };

/** More are shown once they are asked for. */
const shownParts = 12;

export function DecisionTrace({ sessionId, callId, seq }: Props) {
  const { answer: explained, error, isAnswered } = useAnswer("explain_decision", { sessionId, callId, seq });
  if (error) return <ErrorNote error={error} />;
  if (!isAnswered) return <p className="secondary" aria-busy>{t`Loading…`}</p>;
  if (explained === null) return <p>{t`This wasn't decided by one of Arki's checks.`}</p>;
  const { trace, rule } = explained;
  const passed = trace.checks.filter(({ outcome }) => outcome === "passed");
  return (
    <>
      <p>{decidedSentence(trace)}</p>
      <DecidingRule trace={trace} rule={rule} />
      <Parts parts={trace.parts} />
      {allAreKnown(trace) && (
        <p>
          {t`Arki knows each part, but allows such a line by itself only in a working sandbox, without network access, and if it reads nothing outside the project.`}
        </p>
      )}
      {passed.length > 0 && (
        <div className="secondary">
          <p>{t`Checked before, with nothing to say:`}</p>
          <List className="why-passed">
            {passed.map(({ check }) => (
              <li key={check}>{i18n._(checkTopics[check])}</li>
            ))}
          </List>
        </div>
      )}
    </>
  );
}

function DecidingRule({ trace, rule }: { trace: PolicyTrace; rule: string | null }) {
  const openRules = useContext(OpenRulesContext);
  const read = rule === null ? null : readRule(rule);
  const check = decidedBy(trace);
  const isLost = rule === null && (check === "rules" || check === "deny_rules") && isOfSettings(trace);
  return (
    <div className="why-rule">
      <p className="grow">
        <span className="secondary">{t`Rule: `}</span>
        {read ? (
          <RuleSentence text={ruleSentence(read, null, null)} />
        ) : (
          <code>
            <VisibleText text={trace.rule} />
          </code>
        )}
        {isLost && !trace.rule.startsWith("category:") && (
          <span className="secondary"> {t`It has changed since then.`}</span>
        )}
      </p>
      {openRules && isOfSettings(trace) && (
        <Button small look="quiet" onClick={openRules}>
          {t`Open rules`}
        </Button>
      )}
    </div>
  );
}

function Parts({ parts }: { parts: readonly CommandPart[] }) {
  const [shown, setShown] = useState(shownParts);
  if (parts.length === 0) return null;
  return (
    <>
      <List className="why-parts" aria-label={t`Parts of the command`}>
        {parts.slice(0, shown).map((part, place) => (
          <li key={`${place}`}>
            <code>
              <CommandText text={part.command} />
            </code>{" "}
            <span className={`why-reading why-${part.reading}`}>{readingWords(part)}</span>
          </li>
        ))}
      </List>
      {parts.length > shown && (
        <ShowMore hidden={parts.length - shown} what="rows" onMore={() => setShown(parts.length)} />
      )}
    </>
  );
}
