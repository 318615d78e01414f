import { t } from "@lingui/core/macro";
import { CompactDialog } from "../features/context/CompactDialog";
import { CommitDialog } from "../features/history/CommitDialog";
import { DeleteDialog } from "../features/history/DeleteDialog";
import { LinesDialog } from "../features/history/LinesDialog";
import { RewindDialog } from "../features/history/RewindDialog";
import { TakeBackDialog } from "../features/history/TakeBackDialog";
import { LinkDialog } from "../features/links/LinkDialog";
import { SessionSettingsDialog } from "../features/session_settings/SessionSettingsDialog";
import { ToolsDialog } from "../features/tools/ToolsDialog";
import { RemoveWorktreeDialog } from "../features/worktrees/RemoveWorktreeDialog";
import { WorktreeDialog } from "../features/worktrees/WorktreeDialog";
import { useSessions } from "../platform/context";
import { subagentsOf } from "../protocol/sessions";
import type { Window } from "./use_window";

/** The one question about a session that is open, if any. */
export function HistoryDialogs({ window }: { window: Window }) {
  const { history } = window;
  const { asking, setAsking } = history;
  const sessions = useSessions();
  const close = () => setAsking(null);
  switch (asking?.about) {
    case undefined:
      return null;
    case "rewind":
      return (
        <RewindDialog
          {...asking}
          onClose={close}
          onDone={(said) => history.rewound(asking.sessionId, said)}
        />
      );
    case "commit":
      return <CommitDialog {...asking} onClose={close} onDone={history.committed} />;
    case "lines":
      return (
        <LinesDialog
          {...asking}
          onClose={close}
          onTakeBack={(line) => history.takeBack(line, asking.sessionId, asking.path)}
          onShow={history.show}
        />
      );
    case "take_back": {
      // One looked at the lines before, and does so again afterwards: they are others by then.
      const back = () => setAsking(asking.from);
      return <TakeBackDialog {...asking} onClose={back} onDone={back} />;
    }
    case "link":
      return <LinkDialog {...asking} onClose={close} />;
    case "compact":
      return <CompactDialog {...asking} onClose={close} />;
    case "tools":
      return <ToolsDialog {...asking} onClose={close} />;
    case "settings":
      return (
        <SessionSettingsDialog
          {...asking}
          folder={window.shown?.folder ?? ""}
          sentModel={window.model}
          onSendNoModel={() => window.setModel(null)}
          onTools={() => setAsking({ ...asking, about: "tools" })}
          onClose={close}
        />
      );
    case "worktree":
      return <WorktreeDialog {...asking} onClose={close} onDone={history.inWorktree} />;
    case "remove_worktree":
      return (
        <RemoveWorktreeDialog
          {...asking}
          onClose={close}
          onDone={() => history.worktreeRemoved(asking.worktree.branch)}
        />
      );
    case "delete": {
      const title = sessions.find((one) => one.sessionId === asking.sessionId)?.title || t`Untitled session`;
      const done = (freed: number) => history.removed(asking.sessionId, freed);
      const subagents = subagentsOf(sessions, asking.sessionId).length;
      return <DeleteDialog {...asking} title={title} subagents={subagents} onClose={close} onDone={done} />;
    }
  }
}
