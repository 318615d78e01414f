import { t } from "@lingui/core/macro";
import { Copy, Ellipsis, GitFork, Pencil, Quote, Undo2 } from "lucide-react";
import { useCan } from "../../components/can";
import { copyText } from "../../components/copy";
import { IconButton } from "../../components/IconButton";
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
export function UserActions({ item, actions }: { item: UserItem; actions: HistoryActions }) {
  const { onRewind, onEdit } = actions;
  const can = useCan();
  const canRewind = can("rewind");
  return (
    <span className="message-actions">
      {!item.isTask && canRewind && (
        <IconButton
          label={t`Edit and resend`}
          title={t`Edit and resend: go back to before this message, with its words in the message box`}
          icon={Pencil}
          onClick={() => onEdit(item.seq - 1, item.text)}
        />
      )}
      {canRewind && (
        <IconButton
          label={t`Rewind to here`}
          title={t`Rewind to here: revert this message and its changes`}
          icon={Undo2}
          onClick={() => onRewind(item.seq - 1)}
        />
      )}
      <ActionMenu
        label={t`More about this message`}
        trigger={<Ellipsis size={small} aria-hidden />}
        actions={[
          fork(t`Start another session with this message changed. This one stays.`, () =>
            actions.onFork(item.seq - 1, item),
          ),
          ...withText(item.text, actions),
        ]}
      />
    </span>
  );
}

export function AnswerActions({ item, actions }: { item: AssistantItem; actions: HistoryActions }) {
  return (
    <ActionMenu
      className="answer-actions"
      label={t`More about this answer`}
      trigger={<Ellipsis size={small} aria-hidden />}
      actions={[
        fork(t`Start another session from here. This one stays.`, () => actions.onFork(item.seq, null)),
        {
          label: t`Rewind to after this`,
          detail: t`Revert everything after this.`,
          icon: <Undo2 size={small} />,
          needs: "rewind",
          run: () => actions.onRewind(item.seq),
        },
        ...withText(item.text, actions),
      ]}
    />
  );
}

function fork(detail: string, run: () => void): MenuAction {
  return { label: t`Fork from here`, detail, icon: <GitFork size={small} />, needs: "fork_session", run };
}

function withText(text: string, { onQuote }: HistoryActions): MenuAction[] {
  return [
    { label: t`Copy text`, icon: <Copy size={small} />, run: () => copyText(text) },
    { label: t`Quote`, icon: <Quote size={small} />, run: () => onQuote(quoted(text)) },
  ];
}

/** As Markdown quotes it, with a line to answer in. */
export function quoted(text: string): string {
  const lines = text.trim().split("\n");
  return `${lines.map((line) => `> ${line}`.trimEnd()).join("\n")}\n\n`;
}
