import { Copy, Ellipsis, GitFork, Undo2 } from "lucide-react";
import { Button } from "../../components/Button";
import { copyText } from "../../components/copy";
import { ActionMenu } from "../../components/menus";
import type { AssistantItem, UserItem } from "../../protocol/transcript";

export type HistoryActions = {
  /** Back to how things stood right after an event; `undoes` is the rewind that is taken back by it. */
  onRewind: (toSeq: number, undoes?: number) => void;
  /** Another session that begins where this one stood; `draft` is put into its message box. */
  onFork: (atSeq: number, draft: string | null) => void;
};

const small = 14;

/** What can be done with one's own message: say it again differently, here or in a session of its own. */
export function UserActions({ item, onRewind, onFork }: { item: UserItem } & HistoryActions) {
  return (
    <span className="message-actions">
      <Button
        small
        look="quiet"
        label="Rewind to here"
        title="Rewind to here: take back this message and what came of it"
        icon={<Undo2 size={small} aria-hidden />}
        onClick={() => onRewind(item.seq - 1)}
      />
      <ActionMenu
        label="More about this message"
        trigger={<Ellipsis size={small} aria-hidden />}
        actions={[
          {
            label: "Fork from here",
            detail: "Another session that says this differently; this one stays.",
            icon: <GitFork size={small} />,
            run: () => onFork(item.seq - 1, item.text),
          },
          { label: "Copy text", icon: <Copy size={small} />, run: () => copyText(item.text) },
        ]}
      />
    </span>
  );
}

export function AnswerActions({ item, onRewind, onFork }: { item: AssistantItem } & HistoryActions) {
  return (
    <ActionMenu
      className="answer-actions"
      label="More about this answer"
      trigger={<Ellipsis size={small} aria-hidden />}
      actions={[
        {
          label: "Fork from here",
          detail: "Another session that goes on after this; this one stays.",
          icon: <GitFork size={small} />,
          run: () => onFork(item.seq, null),
        },
        {
          label: "Rewind to after this",
          detail: "Takes back what came later.",
          icon: <Undo2 size={small} />,
          run: () => onRewind(item.seq),
        },
        { label: "Copy text", icon: <Copy size={small} />, run: () => copyText(item.text) },
      ]}
    />
  );
}
