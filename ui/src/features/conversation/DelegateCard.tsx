/** Work that was handed to a sub-agent: to whom, which, how it stands, and the way to its own session. */
import { i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { ArrowUpRight } from "lucide-react";
import { useId } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { IconButton } from "../../components/IconButton";
import { Markdown, type OnLink } from "../../components/markdown/Markdown";
import { firstLine } from "../../components/tool_words";
import { useApprovals, useSessions } from "../../platform/context";
import { isRecord, text } from "../../protocol/read";
import type { ToolItem } from "../../protocol/transcript";
import { CallCard, type Standing, standingWords } from "./CallCard";

type Props = {
  item: ToolItem;
  onReview: () => void;
  onOpen: (sessionId: string) => void;
  onLink: OnLink;
};

export function DelegateCard({ item, onReview, onOpen, onLink }: Props) {
  const described = useId();
  const standing = useStanding(item);
  const agent = item.subagent?.agent ?? text(item.args, "agent");
  const task = text(item.args, "task");
  const isInBackground = isRecord(item.args) && item.args.background === true;
  const sessionId = item.subagent?.sessionId ?? null;
  return (
    <CallCard
      item={item}
      standing={standing}
      words={i18n._(words[standing === "running" && isInBackground ? "inBackground" : standing])}
      title={() => (
        <>
          <b className="tool-agent">{agent}</b>
          <span className="tool-task cut grow" dir="auto">
            <VisibleText text={firstLine(task)} />
          </span>
        </>
      )}
      actions={
        sessionId !== null && (
          <>
            <IconButton
              label={t`Open sub-agent's session`}
              title={t`Open sub-agent's session`}
              aria-describedby={described}
              icon={ArrowUpRight}
              onClick={() => onOpen(sessionId)}
            />
            <span className="sr-only" id={described}>
              {agent}: {firstLine(task)}
            </span>
          </>
        )
      }
      asked={
        <section>
          <h4 className="tool-part small secondary">{t`Task`}</h4>
          <p className="user-text" dir="auto">
            <VisibleText text={task} />
          </p>
        </section>
      }
      onReview={onReview}
    >
      {item.result !== null && <Answer item={item} text={item.result} onLink={onLink} />}
    </CallCard>
  );
}

/** Long ones are shown in part: the sub-agent's session has them whole. */
const shownChars = 20_000;

function Answer({ item, text, onLink }: { item: ToolItem; text: string; onLink: OnLink }) {
  return (
    <section>
      <h4 className="tool-part small secondary">{item.state === "done" ? t`Answer` : t`What came of it`}</h4>
      <Markdown text={text.slice(0, shownChars)} onLink={onLink} streaming={false} />
      {text.length > shownChars && (
        <p className="small secondary">{t`… and more in the sub-agent's session`}</p>
      )}
    </section>
  );
}

const words = {
  ...standingWords,
  running: msg`◐ works`,
  /** The run above goes on meanwhile. */
  inBackground: msg`◐ works in the background`,
};

/** What the call waits for is told in the sub-agent's own session. */
function useStanding(item: ToolItem): Standing {
  const sessionId = item.subagent?.sessionId;
  const state = useSessions().find((one) => one.sessionId === sessionId)?.state;
  const asks = useApprovals().some((one) => one.sessionId === sessionId);
  if (item.state !== "running" || sessionId === undefined) return item.state;
  if (asks) return "waiting";
  return state === "paused" ? "paused" : "running";
}
