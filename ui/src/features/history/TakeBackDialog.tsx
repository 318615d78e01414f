/** Taking back one change alone, with later edits kept: shown before it happens. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { useActs } from "../../components/useActs";
import { useAnswer } from "../../components/useAnswer";
import { useArki } from "../../platform/context";
import { Restored, writes } from "./Restored";
import "./history.css";

type Props = { sessionId: string; seq: number; path: string; onClose: () => void; onDone: () => void };

export function TakeBackDialog({ sessionId, seq, path, onClose, onDone }: Props) {
  const arki = useArki();
  const { busy, error: failed, attempt } = useActs();
  const { answer: preview, error } = useAnswer("take_back_preview", { sessionId, seq });
  const takeBack = () =>
    attempt(async () => {
      await arki.platform.call("take_back", { sessionId, seq });
      onDone();
    });
  const conflict = preview?.changes.some((one) => one.action === "conflict") ?? false;
  const footer = (
    <>
      <Button onClick={onClose}>{t`Cancel`}</Button>
      <Button
        look="primary"
        disabled={busy || preview === null || writes(preview.changes) === 0}
        onClick={takeBack}
      >
        {t`Revert`}
      </Button>
    </>
  );
  return (
    <Dialog title={t`Revert this change`} open onClose={onClose} footer={footer} wide>
      <p className="secondary history-lead">
        <Trans>
          This one change of <code>{path}</code> is reverted. Later edits stay.
        </Trans>
      </p>
      {failed && <ErrorNote error={failed} />}
      {error && <ErrorNote error={error} />}
      {conflict && (
        <p className="history-conflict">
          <Trans>
            <b>!</b> Later edits touch the same lines, so this change can't be taken out alone. The file is
            left as it is.
          </Trans>
        </p>
      )}
      {!preview && !error && <p className="secondary">{t`Checking the file…`}</p>}
      {preview && <Restored preview={preview} />}
    </Dialog>
  );
}
