import { t } from "@lingui/core/macro";
import { MessageSquare, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { IconButton } from "../../components/IconButton";
import { List } from "../../components/List";
import { type CommentedLine, commentOn, type LineComment, toSend } from "./comments";
import { OwnText } from "./OwnText";
import type { ReviewActions } from "./useReview";

export function commentLabel({ line, removed }: Pick<CommentedLine, "line" | "removed">): string {
  return removed ? t`Comment on removed line ${line}` : t`Comment on line ${line}`;
}

type BoxProps = {
  at: CommentedLine;
  comments: readonly LineComment[];
  actions: ReviewActions;
  onDone: () => void;
};

/** What is typed counts at once: nothing is lost if the decision is made while the box is open. */
export function CommentBox({ at, comments, actions, onDone }: BoxProps) {
  const [before] = useState(() => commentOn(comments, at));
  return (
    <OwnText
      label={commentLabel(at)}
      value={commentOn(comments, at)}
      maxRows={8}
      prose
      onChange={(text) => actions.comment(at, text)}
      onCancel={() => {
        actions.comment(at, before);
        onDone();
      }}
      onSave={onDone}
    >
      <span className="secondary small grow">{t`Sent to the model with your decision.`}</span>
      <Button small title={t`Done`} shortcut="Mod+Enter" onClick={onDone}>
        {t`Done`}
      </Button>
    </OwnText>
  );
}

type ListProps = {
  comments: readonly LineComment[];
  actions: ReviewActions;
  busy: boolean;
  /** Before a comment goes, and its button with it: the focus must not go to nowhere. */
  onRemove: () => void;
};

/** The comments of a hunk that will be sent, below its lines. */
export function Comments({ comments, actions, busy, onRemove }: ListProps) {
  const id = useId();
  const listed = toSend(comments);
  if (listed.length === 0) return null;
  return (
    <List className="comments" aria-label={t`Your comments`}>
      {listed.map((comment) => (
        <li key={comment.row}>
          <MessageSquare size={14} aria-hidden />
          <span className="secondary small" id={`${id}-${comment.row}`}>
            {comment.removed ? t`Removed line ${comment.line}` : t`Line ${comment.line}`}
          </span>
          <span className="comment-text grow" dir="auto">
            <VisibleText text={comment.text} />
          </span>
          {!busy && (
            <IconButton
              label={t`Remove comment`}
              icon={Trash2}
              aria-describedby={`${id}-${comment.row}`}
              onClick={() => {
                onRemove();
                actions.comment(comment, "");
              }}
            />
          )}
        </li>
      ))}
    </List>
  );
}
