/** What an MCP server asks in the middle of a call: a form to fill in, or a page to visit. All words are the server's. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type FormEvent, useId, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { draftsInMemory, useKeptDraft } from "../../components/drafts";
import { ErrorNote } from "../../components/ErrorNote";
import { useActs } from "../../components/useActs";
import type {
  ElicitationAction,
  ElicitationFault,
  ElicitationReply,
  ElicitationSummary,
} from "../../protocol/generated";
import { ElicitationRow, type Filled, filledIn, firstFilled } from "./ElicitationRow";
import "./elicitation.css";

type Props = {
  asked: ElicitationSummary;
  /** Tells what is wrong, field by field; nothing once the server has its answer. */
  onReply: (reply: ElicitationReply) => Promise<ElicitationFault[]>;
};

/** By request: what is filled in and not sent yet. It may be a secret. */
const drafts = draftsInMemory<Filled>();

export function ElicitationCard({ asked, onReply }: Props) {
  const head = useId();
  const form = useRef<HTMLFormElement>(null);
  const { draft: filled, change, forget } = useKeptDraft(drafts, `${asked.id}`, firstFilled(asked.fields));
  const [faults, setFaults] = useState<readonly ElicitationFault[]>([]);
  const { busy: sending, error, attempt } = useActs();
  const reply = async (action: ElicitationAction) => {
    if (sending) return;
    await attempt(async () => {
      const wrong = await onReply({
        action,
        values: action === "accept" ? filledIn(asked.fields, filled) : {},
      });
      setFaults(wrong);
      if (wrong.length === 0) forget();
      const first = asked.fields.findIndex(({ name }) => wrong.some(({ field }) => field === name));
      const rows = form.current?.querySelectorAll<HTMLElement>("[data-field]");
      rows?.[first]?.querySelector<HTMLElement>("input, select, textarea")?.focus();
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void reply("accept");
  };
  return (
    <form ref={form} className="elicitation" aria-labelledby={head} noValidate onSubmit={submit}>
      <p id={head} className="elicitation-head small">
        <Trans>
          <span aria-hidden>? </span>
          The MCP server <b>{asked.server}</b> asks you
        </Trans>
      </p>
      <p className="elicitation-message" dir="auto">
        {asked.message}
      </p>
      {/* The whole address, with the part that says whose page it is. */}
      {asked.page && (
        <p className="elicitation-page mono">
          {asked.page.before}
          <b>{asked.page.host}</b>
          {asked.page.after}
        </p>
      )}
      {asked.fields.map((field) => (
        <ElicitationRow
          key={field.name}
          field={field}
          value={filled[field.name]}
          fault={faults.find((one) => one.field === field.name)?.message ?? null}
          onChange={(value) => change((now) => ({ ...now, [field.name]: value }))}
        />
      ))}
      <p className="small secondary">
        {asked.page
          ? t`The page opens in your browser. Arki can't see what you do there.`
          : t`The server wrote this question. Never enter a password or key here.`}
      </p>
      <div className="elicitation-buttons">
        <Button type="submit" look="primary" aria-disabled={sending}>
          {asked.page ? t`Open page` : t`Send answer`}
        </Button>
        <Button
          title={t`Decline. The server continues without an answer`}
          onClick={() => void reply("decline")}
        >
          {t`Decline`}
        </Button>
        <Button
          look="quiet"
          title={t`Cancel the request. The server stops waiting`}
          onClick={() => void reply("cancel")}
        >
          {t`Cancel`}
        </Button>
      </div>
      {error && <ErrorNote error={error} />}
    </form>
  );
}
