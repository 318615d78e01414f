/** Asks for the branch of a new worktree, and says what will be made before it is. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useId, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { folderName, homePath } from "../../components/format";
import { useActs } from "../../components/useActs";
import { useAnswer } from "../../components/useAnswer";
import { useArki } from "../../platform/context";
import "./worktrees.css";

type Props = {
  /** The folder that is shown: the project, or a worktree of it. */
  folder: string;
  onClose: () => void;
  onDone: (folder: string) => void;
};

export function WorktreeDialog({ folder, onClose, onDone }: Props) {
  const arki = useArki();
  const field = useRef<HTMLInputElement>(null);
  const [nameId, placeId] = [useId(), useId()];
  const [branch, setBranch] = useState("");
  const { busy, error: failed, attempt, hush } = useActs();
  const named = branch.trim();
  // The place for a branch, or why there can't be one; neither for no name.
  const planOf = named === "" ? null : { folder, branch: named };
  const { answer: planned, error: problem } = useAnswer("plan_worktree", planOf);
  const make = (event: FormEvent) => {
    event.preventDefault();
    if (busy || planned === null) return;
    void attempt(async () => {
      const made = await arki.platform.call("add_worktree", { folder, branch: planned.branch });
      onDone(made.folder);
    });
  };
  const footer = (
    <>
      <Button onClick={onClose}>{t`Cancel`}</Button>
      <Button look="primary" type="submit" form={`${nameId}-form`} disabled={busy || planned === null}>
        {busy ? t`Making the worktree…` : t`Start session`}
      </Button>
    </>
  );
  return (
    <Dialog title={t`New session in a worktree`} open onClose={onClose} footer={footer} initialFocus={field}>
      <form id={`${nameId}-form`} className="worktree-form" onSubmit={make}>
        <label htmlFor={nameId}>{t`New branch`}</label>
        <input
          ref={field}
          id={nameId}
          className="field mono"
          dir="ltr"
          maxLength={100}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          placeholder="feature/search"
          aria-describedby={placeId}
          value={branch}
          onChange={(event) => {
            setBranch(event.target.value);
            // It was about another name.
            hush();
          }}
        />
        <p id={placeId} className="worktree-place small secondary" role="status">
          {problem?.message ??
            (planned ? t`Folder: ${homePath(planned.folder)}` : t`Name the branch to see its folder.`)}
        </p>
      </form>
      <p className="worktree-about">
        {t`This copies ${folderName(planned?.project ?? folder)} as it is now: its commits, and its files with uncommitted changes. Git-ignored files and files with secrets are left out, except the rules and settings you approved.`}
      </p>
      <p>{t`Changes and commits stay in the copy until you choose “Bring branch” in the session's menu.`}</p>
      {failed && <ErrorNote error={failed} />}
    </Dialog>
  );
}
