/** How the folder's repository stands, and the ways out of the window: to the editor, the file manager, a terminal. */
import { plural, t } from "@lingui/core/macro";
import { Code, Ellipsis, FolderOpen, GitBranch, GitCommitVertical, SquareTerminal } from "lucide-react";
import { useEffect, useState } from "react";
import { visibleWords } from "../../components/code/invisible";
import { VisibleText } from "../../components/code/VisibleText";
import { ActionMenu } from "../../components/menus";
import { useArki, useSessions } from "../../platform/context";
import { useStore } from "../../platform/stores/store";
import type { RepositoryState } from "../../protocol/generated";

export type PlaceActions = {
  onCommit: () => void;
  onEditor: () => void;
  onReveal: () => void;
  onTerminal: () => void;
};

type Props = PlaceActions & { folder: string };

export function FolderMenu({ folder, onCommit, onEditor, onReveal, onTerminal }: Props) {
  const repository = useRepository(folder);
  const icon = 14;
  return (
    <ActionMenu
      look="status"
      label={repository ? t`Folder menu: ${standing(repository)}` : t`Folder menu`}
      trigger={
        repository ? (
          <>
            <GitBranch size={icon} aria-hidden />
            <span className="cut">
              <VisibleText text={repository.branch} />
            </span>
            {repository.changedFiles !== null && repository.changedFiles > 0 && (
              <span>· {plural(repository.changedFiles, { one: "# changed", other: "# changed" })}</span>
            )}
          </>
        ) : (
          <Ellipsis size={icon} aria-hidden />
        )
      }
      actions={[
        ...(repository
          ? [
              {
                label: t`Commit…`,
                detail: t`The model proposes files and a message. You see both before anything is committed.`,
                icon: <GitCommitVertical size={icon} />,
                needs: "send_message" as const,
                run: onCommit,
              },
            ]
          : []),
        { label: t`Open in editor`, icon: <Code size={icon} />, needs: "open_in_editor", run: onEditor },
        {
          label: t`Show in folder`,
          icon: <FolderOpen size={icon} />,
          needs: "show_in_folder",
          run: onReveal,
        },
        {
          label: t`Terminal here`,
          icon: <SquareTerminal size={icon} />,
          needs: "open_terminal",
          run: onTerminal,
        },
      ]}
    />
  );
}

function standing({ branch: name, isDetached, changedFiles }: RepositoryState): string {
  const branch = visibleWords(name);
  const where = isDetached ? t`commit ${branch}` : t`branch ${branch}`;
  if (changedFiles === null) return where;
  return `${where}, ${plural(changedFiles, { one: "# changed file", other: "# changed files" })}`;
}

/** A little later, so that what comes together is asked for once. */
const waitMs = 300;

/** Asked for anew when a run in the folder changes how it stands, files were restored or committed, or the user comes back to the window. */
function useRepository(folder: string): RepositoryState | null {
  const { platform, gitChanges } = useArki();
  const changed = useStore(gitChanges);
  const runs = useSessions()
    .filter((one) => one.project === folder)
    .map((one) => `${one.sessionId} ${one.state}`)
    .join();
  const [returns, setReturns] = useState(0);
  const [told, setTold] = useState<{ folder: string; state: RepositoryState | null } | null>(null);
  useEffect(() => {
    const onFocus = () => setReturns((now) => now + 1);
    window.addEventListener("focus", onFocus);
    return () => window.removeEventListener("focus", onFocus);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: anew when `runs`, `changed` or `returns` changes
  useEffect(() => {
    let isShown = true;
    const timer = setTimeout(() => {
      platform.call("repository", { folder }).then(
        (state) => isShown && setTold({ folder, state }),
        () => isShown && setTold(null),
      );
    }, waitMs);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [platform, folder, runs, changed, returns]);
  return told?.folder === folder ? told.state : null;
}
