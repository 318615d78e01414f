import { t } from "@lingui/core/macro";
import { type KeyboardEvent, useId } from "react";
import { Button } from "../../components/Button";
import { CommandText } from "../../components/code/CommandText";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { sandboxWords } from "../../components/sandbox_words";
import type { PendingApproval } from "../../protocol/approvals";
import type {
  CommandConfinement,
  CommandPreview,
  Keep as Keeping,
  KeepScope,
} from "../../protocol/generated";
import { show } from "../../protocol/read";
import { ApprovalFoot, ApprovalHead } from "./ApprovalFrame";
import { Keep, keepKey, useProposedRule } from "./Keep";
import { OwnText } from "./OwnText";
import { onApproveKey, useWholeDecision } from "./useWholeDecision";

type Props = { approval: PendingApproval; command: CommandPreview | null };

/** A command (or any call without a diff) that waits: exactly what would run, where, and with what. */
export function CommandApproval({ approval, command }: Props) {
  const { draft, setDraft, answer, foot, error, isOver } = useWholeDecision(approval);
  const own = draft.command;
  const summary = useId();
  const rule = useProposedRule(approval.approvalId);
  const offered = own === null ? rule : null;
  const previewHash = command?.previewHash ?? approval.preview?.previewHash ?? "";
  const approve = (keep: Keeping | null = null) => {
    const changed = own !== null && own !== command?.command ? own : null;
    if (changed?.trim() !== "") answer("approve", { command: changed, previewHash, keep });
  };
  const onKeep = (scope: KeepScope) => offered !== null && approve({ scope, rule: offered });
  const onKeyDown = (event: KeyboardEvent) => {
    const scope = keepKey(event);
    if (scope === null) return onApproveKey(approve)(event);
    event.preventDefault();
    event.stopPropagation();
    onKeep(scope);
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
      {error && <ErrorNote error={error} />}
      <ApprovalFoot
        {...foot}
        detail={own ?? (command ? command.command : approval.toolId)}
        accept={t`Approve`}
        reject={t`Reject`}
        onAccept={() => approve()}
        onReject={() => answer("reject", { previewHash })}
        keep={offered !== null && <Keep rule={offered} onKeep={onKeep} />}
      />
    </article>
  );
}

function CommandFacts({ command }: { command: CommandPreview }) {
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
      <dd>
        <Confined command={command} />
      </dd>
      {command.tried && (
        <>
          <dt>{t`Tried`}</dt>
          <dd>
            {t`With the project read-only it failed: ${command.tried.ending}.`}
            {command.tried.output && (
              <pre className="tried" tabIndex={0}>
                <VisibleText text={command.tried.output} />
              </pre>
            )}
          </dd>
        </>
      )}
    </dl>
  );
}

/** The hosts that it can reach. */
function Reached({ confinement: { network, hosts = [] } }: { confinement: CommandConfinement }) {
  if (network) return t`Has the network.`;
  const named = hosts.join(", ");
  return named === "" ? (
    t`No network.`
  ) : (
    <span className="attention">{t`Can send anything it can read to ${named}.`}</span>
  );
}

/** Where its changes go, and when they are seen. */
function whereItWrites({ lands, writesProject }: CommandConfinement) {
  switch (lands) {
    case "reviewed":
      return t`You review its changes before they land; only generated folders such as node_modules are written directly.`;
    case "as_edits":
      return t`Its changes land when it ends. You review them first if they are many or unusual.`;
    case "unasked":
      return t`Its changes land when it ends, without a review.`;
    default:
      return writesProject ? t`Writes directly to this folder, and nowhere else.` : t`Only reads.`;
  }
}

/** What confines it, in words; the name of the sandbox where it doesn't say more. */
function Confined({ command: { sandbox, confinement = null } }: { command: CommandPreview }) {
  if (sandbox === "none") {
    return <span className="risk-high">{t`None: the command can do all that you can.`}</span>;
  }
  if (confinement === null) return sandboxWords(sandbox) || t`unknown`;
  return (
    <>
      <Reached confinement={confinement} /> {whereItWrites(confinement)}{" "}
      {(confinement.readsPrivate ?? false) && (
        <span className="attention">
          {t`Can open this project's secret files (such as .env) and your other files.`}{" "}
        </span>
      )}
      {confinement.notes?.map((note) => (
        <span key={note} className="attention" lang="en">
          {note}{" "}
        </span>
      ))}
      <span className="secondary">{t`Confined by ${sandboxWords(sandbox)}.`}</span>
    </>
  );
}

type EditorProps = { command: string; onChange: (command: string) => void; onCancel: () => void };

/** The user's own command, to run in place of the one that waits. */
function CommandEditor({ command, onChange, onCancel }: EditorProps) {
  return (
    <OwnText
      label={t`Command to run instead`}
      value={command}
      maxRows={12}
      onChange={onChange}
      onCancel={onCancel}
    >
      <span className="secondary small grow">{t`Arki tells the model that a different command ran.`}</span>
      <Button small look="quiet" title={t`Go back to the model's command (Esc)`} onClick={onCancel}>
        {t`Cancel edit`}
      </Button>
    </OwnText>
  );
}
