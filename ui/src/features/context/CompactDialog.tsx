import { t } from "@lingui/core/macro";
import { useId, useState } from "react";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { sends } from "../../components/shortcuts";
import { useActs } from "../../components/useActs";
import { useArki, useSessions } from "../../platform/context";
import { isActive } from "../../protocol/sessions";
import "./context.css";

type Props = { sessionId: string; focus?: string; onClose: () => void };

/** Making room because the user wants it, with what is to be kept above all. */
export function CompactDialog({ sessionId, focus: given = "", onClose }: Props) {
  const { platform } = useArki();
  const [focus, setFocus] = useState(given);
  const { busy, error, attempt } = useActs();
  const [nothing, setNothing] = useState(false);
  const field = useId();
  const about = useId();
  const state = useSessions().find((one) => one.sessionId === sessionId)?.state;
  const running = state !== undefined && isActive(state);
  const compact = () =>
    attempt(async () => {
      setNothing(false);
      const done = await platform.call("compact_session", { sessionId, focus: focus.trim() || null });
      if (done) onClose();
      else setNothing(true);
    });
  const footer = (
    <>
      <span id={about} className="secondary small grow" role="status">
        {running
          ? t`A run is in progress. Stop it first, or wait for its end.`
          : busy
            ? t`Writing the summary. This can take a minute.`
            : nothing
              ? t`The conversation is already as short as it can be.`
              : ""}
      </span>
      <Button onClick={onClose}>{t`Cancel`}</Button>
      <Button look="primary" disabled={busy || running} aria-describedby={about} onClick={compact}>
        {busy ? t`Compacting…` : t`Compact`}
      </Button>
    </>
  );
  return (
    <Dialog title={t`Compact this conversation`} open onClose={onClose} footer={footer}>
      <div className="compact-dialog">
        <p className="secondary">
          {t`The model sees a summary instead of the older messages, so that there is room for new ones. The session keeps everything, and you can go back. Writing the summary may cost a request.`}
        </p>
        <label htmlFor={field}>{t`Keep above all (optional)`}</label>
        <input
          id={field}
          className="field"
          dir="auto"
          value={focus}
          placeholder={t`For example: the parser and its tests`}
          onChange={(event) => setFocus(event.target.value)}
          onKeyDown={(event) => {
            if (!sends(event.nativeEvent) || busy || running) return;
            event.preventDefault();
            void compact();
          }}
        />
        {error && <ErrorNote error={error} />}
      </div>
    </Dialog>
  );
}
