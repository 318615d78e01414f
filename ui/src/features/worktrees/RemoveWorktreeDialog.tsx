/**
 * Removing a worktree: at once where nothing is lost. Else it says what is, and another button, in another place, loses
 * it: a double click must not.
 */
import { t } from "@lingui/core/macro";
import { useRef, useState } from "react";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, WorktreeOf } from "../../protocol/generated";
import "./worktrees.css";

type Props = { worktree: WorktreeOf; onClose: () => void; onDone: () => void };

export function RemoveWorktreeDialog({ worktree: { project, branch }, onClose, onDone }: Props) {
  const arki = useArki();
  const cancel = useRef<HTMLButtonElement>(null);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<CommandError | null>(null);
  const unsaved = failed?.code === "WORKTREE_UNSAVED";
  const remove = async (force: boolean) => {
    setBusy(true);
    try {
      await arki.platform.call("remove_worktree", { folder: project, branch, force });
      onDone();
    } catch (thrown) {
      setFailed(asCommandError(thrown));
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button ref={cancel} onClick={onClose}>
        {t`Keep it`}
      </Button>
      <Button look="primary" disabled={busy || unsaved} onClick={() => remove(false)}>
        {t`Remove worktree`}
      </Button>
    </>
  );
  return (
    <Dialog title={t`Remove this worktree?`} open onClose={onClose} footer={footer} initialFocus={cancel}>
      <p className="worktree-about mono" dir="auto">
        {branch}
      </p>
      <p>
        {t`This deletes the worktree's folder. Its sessions stay in the list, and branches you brought back stay in the project.`}
      </p>
      {unsaved ? (
        <div className="worktree-lost">
          <p role="alert">
            {failed.message} {t`If you remove it now, that is lost. You can't undo it.`}
          </p>
          <Button look="danger" disabled={busy} onClick={() => remove(true)}>
            {t`Remove and lose this work`}
          </Button>
        </div>
      ) : (
        failed && <ErrorNote error={failed} />
      )}
    </Dialog>
  );
}
