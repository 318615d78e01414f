import { t } from "@lingui/core/macro";
import { Copy, Ellipsis, GitFork, Pencil, Quote, Undo2 } from "lucide-react";
import { Button } from "../../components/Button";
import { useCan } from "../../components/can";
import { copyText } from "../../components/copy";
import type { MenuAction } from "../../components/Menu";
import { ActionMenu } from "../../components/menus";
import type { AssistantItem, SentMessage, UserItem } from "../../protocol/transcript";

export type HistoryActions = {
  /** Back to how things stood right after an event; `undoes` is the rewind that is taken back by it. */
  onRewind: (toSeq: number, undoes?: number) => void;
  /** Back to how things stood then, with these words in the message box. */
  onEdit: (toSeq: number, words: string) => void;
  /** Another session that begins where this one stood; what was said is put into its message box. */
  onFork: (atSeq: number, said: SentMessage | null) => void;
  /** Puts words into the message box. */
  onQuote: (words: string) => void;
};

const small = 14;

/** What can be done with one's own message: say it again differently, here or in a session of its own. */
export function UserActions({
  item,
  onRewind,
  onEdit,
  onFork,
  onQuote,
}: { item: UserItem } & HistoryActions) {
  const can = useCan();
  const canRewind = can("rewind");
  return (
    <span className="message-actions">
      {!item.isTask && canRewind && (
        <Button
          small
          look="quiet"
          label={t`Edit and resend`}
          title={t`Edit and resend: go back to before this message, with its words in the message box`}
          icon={<Pencil size={small} aria-hidden />}
          onClick={() => onEdit(item.seq - 1, item.text)}
        />
      )}
      {canRewind && (
        <Button
          small
          look="quiet"
          label={t`Rewind to here`}
          title={t`Rewind to here: revert this message and its changes`}
          icon={<Undo2 size={small} aria-hidden />}
          onClick={() => onRewind(item.seq - 1)}
        />
      )}
      <ActionMenu
        label={t`More about this message`}
        trigger={<Ellipsis size={small} aria-hidden />}
        actions={[
          {
            label: t`Fork from here`,
            detail: t`Start another session with this message changed. This one stays.`,
            icon: <GitFork size={small} />,
            needs: "fork_session",
            run: () => onFork(item.seq - 1, item),
          },
          { label: t`Copy text`, icon: <Copy size={small} />, run: () => copyText(item.text) },
          quote(item.text, onQuote),
        ]}
      />
    </span>
  );
}

type AnswerProps = { item: AssistantItem } & Omit<HistoryActions, "onEdit">;

export function AnswerActions({ item, onRewind, onFork, onQuote }: AnswerProps) {
  return (
    <ActionMenu
      className="answer-actions"
      label={t`More about this answer`}
      trigger={<Ellipsis size={small} aria-hidden />}
      actions={[
        {
          label: t`Fork from here`,
          detail: t`Start another session from here. This one stays.`,
          icon: <GitFork size={small} />,
          needs: "fork_session",
          run: () => onFork(item.seq, null),
        },
        {
          label: t`Rewind to after this`,
          detail: t`Revert everything after this.`,
          icon: <Undo2 size={small} />,
          needs: "rewind",
          run: () => onRewind(item.seq),
        },
        { label: t`Copy text`, icon: <Copy size={small} />, run: () => copyText(item.text) },
        quote(item.text, onQuote),
      ]}
    />
  );
}

function quote(text: string, onQuote: (words: string) => void): MenuAction {
  return { label: t`Quote`, icon: <Quote size={small} />, run: () => onQuote(quoted(text)) };
}

/** As Markdown quotes it, with a line to answer in. */
export function quoted(text: string): string {
  const lines = text.trim().split("\n");
  return `${lines.map((line) => `> ${line}`.trimEnd()).join("\n")}\n\n`;
}
