import { t } from "@lingui/core/macro";
import { type KeyboardEvent, useId } from "react";
import { Button } from "../../components/Button";
import { CommandText } from "../../components/code/CommandText";
import { VisibleText } from "../../components/code/VisibleText";
import { useIsOver } from "../../components/countdown";
import { ErrorNote } from "../../components/ErrorNote";
import { composes, matches } from "../../components/shortcuts";
import { expiresAt, type PendingApproval } from "../../protocol/approvals";
import type { CommandPreview, Keep as Keeping, KeepScope } from "../../protocol/generated";
import { show } from "../../protocol/read";
import { ApprovalFoot } from "./ApprovalFoot";
import { ApprovalHead } from "./ApprovalHead";
import { CommandEditor } from "./CommandEditor";
import { useDraft } from "./drafts";
import { Keep, keepKey, useProposedRule } from "./Keep";
import { useResolve } from "./useResolve";

type Props = { approval: PendingApproval; command: CommandPreview | null };

/** A command (or any call without a diff) that waits: exactly what would run, where, and with what. */
export function CommandApproval({ approval, command }: Props) {
  const [{ note, command: own }, setDraft] = useDraft(approval.approvalId);
  const { sending, send } = useResolve(approval.approvalId);
  const summary = useId();
  const until = expiresAt(approval);
  const isOver = useIsOver(until);
  const rule = useProposedRule(approval.approvalId);
  const offered = own === null ? rule : null;
  const answer = (decision: "approve" | "reject", keep: Keeping | null = null) => {
    if (sending.state !== "deciding") return;
    const previewHash = command?.previewHash ?? approval.preview?.previewHash ?? "";
    const changed = decision === "approve" && own !== null && own !== command?.command ? own : null;
    if (changed?.trim() === "") return;
    void send({
      decision,
      hunks: null,
      edited: null,
      command: changed,
      note: note.trim() || null,
      previewHash,
      keep,
    });
  };
  const onKeep = (scope: KeepScope) => offered !== null && answer("approve", { scope, rule: offered });
  const onKeyDown = (event: KeyboardEvent) => {
    const scope = keepKey(event);
    if (scope !== null) {
      event.preventDefault();
      event.stopPropagation();
      onKeep(scope);
      return;
    }
    if (!matches(event, "Mod+Enter") || composes(event.nativeEvent)) return;
    event.preventDefault();
    event.stopPropagation();
    answer("approve");
  };
  return (
    <article className="approval" tabIndex={0} onKeyDown={onKeyDown} aria-describedby={summary}>
      <ApprovalHead approval={approval} id={summary} />
      <pre className={own === null ? "command" : "command struck"}>
        {command ? <CommandText text={command.command} /> : <VisibleText text={show(approval.args)} />}
      </pre>
      {command && own === null && !isOver && (
        <Button
          small
          look="quiet"
          className="edit-command"
          title={t`Edit command`}
          onClick={() => setDraft({ command: command.command })}
        >
          {t`Edit command`}
        </Button>
      )}
      {own !== null && (
        <CommandEditor
          command={own}
          onChange={(next) => setDraft({ command: next })}
          onCancel={() => setDraft({ command: null })}
        />
      )}
      {command && <CommandFacts command={command} />}
      {sending.error && <ErrorNote error={sending.error} />}
      <ApprovalFoot
        note={note}
        onNote={(next) => setDraft({ note: next })}
        state={sending.state}
        expiresAt={until}
        detail={own ?? (command ? command.command : approval.toolId)}
        accept={t`Approve`}
        reject={t`Reject`}
        onAccept={() => answer("approve")}
        onReject={() => answer("reject")}
        keep={offered !== null && <Keep rule={offered} onKeep={onKeep} />}
      />
    </article>
  );
}

export function CommandFacts({ command }: { command: CommandPreview }) {
  return (
    <dl className="facts">
      <dt>{t`Folder`}</dt>
      <dd>
        <code>
          <VisibleText text={command.directory} />
        </code>
      </dd>
      <dt>{t`Environment`}</dt>
      <dd>
        {command.environment.length > 0 ? (
          <details>
            <summary>{t`${command.environment.length} variables, no keys`}</summary>
            <code>{command.environment.join(" ")}</code>
          </details>
        ) : (
          t`no variables`
        )}
      </dd>
      <dt>{t`Sandbox`}</dt>
      <dd>{command.sandbox || t`unknown`}</dd>
    </dl>
  );
}
