import { t } from "@lingui/core/macro";
import {
  AppWindow,
  Archive,
  ArchiveRestore,
  Download,
  Ellipsis,
  FolderX,
  GitBranch,
  GitFork,
  GitPullRequestArrow,
  History as HistoryIcon,
  Link,
  Pencil,
  Pin,
  PinOff,
  SlidersHorizontal,
  Trash2,
  Upload,
  Wrench,
} from "lucide-react";
import { folderName } from "../components/format";
import { type MenuAction, MenuBeside } from "../components/Menu";
import { ActionMenu } from "../components/menus";
import type { ExportFormat, SessionSummary, WorktreeOf } from "../protocol/generated";
import type { History } from "./history";

const size = 14;

/** What can be done with the session that is shown, and bringing others in. */
type Props = {
  sessionId: string | null;
  session: SessionSummary | null;
  history: History;
  onRename: () => void;
  onReplay: () => void;
  /** A new session in a worktree of the folder that is shown. */
  onWorktree: () => void;
};

export function SessionMenu({ sessionId, session, history, onRename, onReplay, onWorktree }: Props) {
  const bring: MenuAction = {
    label: t`Import…`,
    detail: t`Import sessions that were exported as JSONL.`,
    icon: <Upload size={size} />,
    needs: "import_sessions",
    run: history.bring,
  };
  const exportAs = (format: ExportFormat, label: string, detail?: string): MenuAction => ({
    label,
    detail,
    icon: <Download size={size} />,
    needs: "export_session",
    run: () => history.keep(format),
  });
  const kept: (MenuAction | null)[] =
    sessionId === null
      ? []
      : [
          ...ownActions({ sessionId, session, history, onRename }),
          {
            label: t`Replay`,
            detail: t`Go through this session step by step, with the files as they were.`,
            icon: <HistoryIcon size={size} />,
            run: onReplay,
          },
          {
            label: t`Session settings…`,
            detail: t`Choose model, effort and prompt for this session.`,
            icon: <SlidersHorizontal size={size} />,
            needs: "configure_session",
            run: () => history.setAsking({ about: "settings", sessionId }),
          },
          {
            label: t`Tools…`,
            detail: t`Choose the tools for this session.`,
            icon: <Wrench size={size} />,
            needs: "switch_session_tools",
            run: () => history.setAsking({ about: "tools", sessionId }),
          },
          null,
          exportAs("jsonl", t`Export as JSONL…`, t`The whole log. You can import it again.`),
          exportAs("markdown", t`Export as Markdown…`),
          exportAs("html", t`Export as HTML…`),
        ];
  const worktree = session?.worktree ?? null;
  const beside: (MenuAction | null)[] = [
    null,
    {
      label: t`New session in a worktree…`,
      detail: t`Work on a copy of the project, on a branch of its own.`,
      icon: <GitBranch size={size} />,
      needs: "add_worktree",
      run: onWorktree,
    },
    ...(worktree === null ? [] : worktreeActions(worktree, history)),
    ...(sessionId === null ? [] : [null]),
  ];
  const gone: (MenuAction | null)[] = sessionId === null ? [] : [deletion(sessionId, history)];
  return (
    <ActionMenu
      label={t`Session menu`}
      trigger={<Ellipsis size={16} aria-hidden />}
      actions={[...kept, bring, ...beside, ...gone]}
    />
  );
}

type Own = Pick<Props, "session" | "history" | "onRename"> & { sessionId: string };

/** Those that a session's row has, too. */
function ownActions({ sessionId, session, history, onRename }: Own): MenuAction[] {
  return [
    { label: t`Rename…`, icon: <Pencil size={size} />, needs: "rename_session", run: onRename },
    {
      label: session?.pinned ? t`Unpin` : t`Pin`,
      icon: session?.pinned ? <PinOff size={size} /> : <Pin size={size} />,
      needs: "mark_session",
      run: () => history.mark(sessionId, { pinned: !session?.pinned, archived: null }),
    },
    {
      label: session?.archived ? t`Bring back` : t`Archive`,
      icon: session?.archived ? <ArchiveRestore size={size} /> : <Archive size={size} />,
      needs: "mark_session",
      run: () => history.mark(sessionId, { pinned: null, archived: !session?.archived }),
    },
    {
      label: t`Open in a new window`,
      icon: <AppWindow size={size} />,
      needs: "open_window",
      run: () => history.open("open_window", { sessionId }),
    },
    {
      label: t`Copy link`,
      detail: t`Opens this session from anywhere on this computer.`,
      icon: <Link size={size} />,
      run: () => history.copyLink(sessionId),
    },
    {
      label: t`Fork from here`,
      detail: t`Start another session from the end of this one.`,
      icon: <GitFork size={size} />,
      needs: "fork_session",
      run: () => history.fork(sessionId, null, null),
    },
  ];
}

const deletion = (sessionId: string, history: History): MenuAction => ({
  label: t`Delete…`,
  icon: <Trash2 size={size} />,
  needs: "remove_session",
  run: () => history.setAsking({ about: "delete", sessionId }),
});

type RowProps = {
  session: SessionSummary;
  row: HTMLElement;
  history: History;
  onRename: (sessionId: string) => void;
  onClose: () => void;
};

/** The menu of a session's row in the list. */
export function RowMenu({ session, row, history, onRename, onClose }: RowProps) {
  const { sessionId } = session;
  const own = ownActions({ sessionId, session, history, onRename: () => onRename(sessionId) });
  return (
    <MenuBeside
      label={t`Session menu`}
      beside={row}
      actions={[...own, null, deletion(sessionId, history)]}
      onClose={onClose}
    />
  );
}

function worktreeActions(worktree: WorktreeOf, history: History): MenuAction[] {
  const project = folderName(worktree.project);
  return [
    {
      label: t`Bring branch to ${project}`,
      detail: t`Copies the commits on ${worktree.branch} to the project. Nothing is merged.`,
      icon: <GitPullRequestArrow size={size} />,
      needs: "bring_worktree",
      run: () => history.bringBranch(worktree),
    },
    {
      label: t`Remove worktree…`,
      icon: <FolderX size={size} />,
      needs: "remove_worktree",
      run: () => history.setAsking({ about: "remove_worktree", worktree }),
    },
  ];
}
