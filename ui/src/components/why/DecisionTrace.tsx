/** How a decision of the policy came about: the check that made it, its rule, the commands of the line, what passed. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useContext, useState } from "react";
import type {
  CommandPart,
  CommandReading,
  Decision,
  PolicyCheck,
  PolicyTrace,
} from "../../protocol/generated";
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

/** What each check looks at, for a list. */
export const checkTopics: Readonly<Record<PolicyCheck, MessageDescriptor>> = {
  trust: msg`folder trust`,
  unknown_tool: msg`unknown tools`,
  agent_tools: msg`the agent's tools`,
  disabled_tools: msg`tools switched off`,
  plan_only: msg`planning only`,
  read_only_agent: msg`agents that only read`,
  deny_rules: msg`rules that deny`,
  unreadable_configuration: msg`unreadable configuration`,
  hook_denial: msg`hooks that deny`,
  sensitive: msg`secrets and protected paths`,
  hook_question: msg`hooks that ask`,
  changed_git: msg`changed git settings`,
  repeated_call: msg`repeated calls`,
  on_project: msg`commands on the project itself`,
  rules: msg`rules that allow or ask`,
  session_grants: msg`permissions for this session`,
  effects_review: msg`commands whose changes are reviewed`,
  approved_in_advance: msg`approval in advance`,
  change_risk: msg`large or far-reaching changes`,
  known_command: msg`known commands`,
  not_understood: msg`commands Arki can't understand`,
  tried_read_only: msg`commands that first run read-only`,
  category_default: msg`the category's default`,
};

const sentences: Readonly<Record<Exclude<PolicyCheck, "rules" | "category_default">, MessageDescriptor>> = {
  trust: msg`The folder isn't trusted, so only reading is allowed.`,
  unknown_tool: msg`There is no tool with this name.`,
  agent_tools: msg`The agent doesn't have this tool.`,
  disabled_tools: msg`You switched this tool off for the session.`,
  plan_only: msg`This run only plans, so it can only read.`,
  read_only_agent: msg`The agent is read-only.`,
  deny_rules: msg`A rule denies this.`,
  unreadable_configuration: msg`A configuration that may forbid this can't be read, so nothing is allowed.`,
  hook_denial: msg`A hook denied this.`,
  sensitive: msg`Arki asks about secrets and protected paths every time, whatever your rules allow.`,
  hook_question: msg`A hook wants you to be asked.`,
  changed_git: msg`Git's settings or hooks changed since you trusted the folder, so Arki asks before commands that may run git.`,
  repeated_call: msg`The model made the same call again and again, so Arki asks whether it should.`,
  on_project: msg`The command would work on the project itself, so you don't see its changes before they land.`,
  session_grants: msg`You allowed this for the session.`,
  effects_review: msg`The command runs, and you review its changes before they land.`,
  approved_in_advance: msg`You approved this in advance, by the mode of the run.`,
  change_risk: msg`Large changes and changes to files that control tools are shown to you first.`,
  known_command: msg`Arki knows that the command only reads, or builds and tests inside the sandbox.`,
  not_understood: msg`Commands are allowed, but Arki asks about those it can't understand.`,
  tried_read_only: msg`The command first runs with the project read-only, and you are asked only if that fails.`,
};

const ofRules: Readonly<Record<Decision, MessageDescriptor>> = {
  allow: msg`A rule allows this.`,
  review: msg`A rule allows this.`,
  preview: msg`A rule says to show you a preview of this.`,
  approval: msg`A rule says to ask you before this.`,
  deny: msg`A rule denies this.`,
};

const ofDefaults: Readonly<Record<Decision, MessageDescriptor>> = {
  allow: msg`No rule covers this. The default for this kind of call allows it.`,
  review: msg`No rule covers this. The default for this kind of call is to review what it changes.`,
  preview: msg`No rule covers this. The default for this kind of call is to show you a preview.`,
  approval: msg`No rule covers this. The default for this kind of call is to ask you.`,
  deny: msg`The default for this kind of call denies it.`,
};

const decidedBy = ({ checks }: PolicyTrace): PolicyCheck | null =>
  checks.find(({ outcome }) => outcome === "decided")?.check ?? null;

/** The check that decided, as a sentence. */
function decidedSentence(trace: PolicyTrace): string {
  const check = decidedBy(trace);
  if (check === null) return "";
  if (check === "rules") return i18n._(ofRules[trace.decision]);
  if (check === "category_default" || trace.rule.startsWith("category:")) {
    return i18n._(ofDefaults[trace.decision]);
  }
  return i18n._(sentences[check]);
}

/** Whether the settings say so: a rule of the configuration, or a category's default. */
function isOfSettings({ rule }: PolicyTrace): boolean {
  return /^(category:|\w+:rules\[)/.test(rule) && !rule.startsWith("session:");
}

const readings: Readonly<Record<CommandReading, MessageDescriptor>> = {
  only_reads: msg`✓ only reads`,
  builds_or_tests: msg`✓ builds or tests`,
  not_known: msg`? not known`,
  dangerous: msg`! dangerous`,
  not_understood: msg`? can't be understood`,
};

/** What Arki made of a command; why is the engine's, which speaks English. */
function readingWords({ reading, why = null }: CommandPart): string {
  const words = i18n._(readings[reading]);
  if (why === null) return words;
  return reading === "not_understood" ? t`${words}: it contains ${why}` : `${words}: ${why}`;
}

/** Every part is known, and yet the line was not allowed for that. */
function allAreKnown(trace: PolicyTrace): boolean {
  const isKnown = ({ reading }: CommandPart) => reading === "only_reads" || reading === "builds_or_tests";
  const check = decidedBy(trace);
  const isBehind = check === "not_understood" || check === "category_default";
  return isBehind && trace.decision !== "allow" && trace.parts.length > 0 && trace.parts.every(isKnown);
}
