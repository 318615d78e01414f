import { t } from "@lingui/core/macro";
import { CompactDialog } from "../features/context/CompactDialog";
import { DeleteDialog } from "../features/history/DeleteDialog";
import { LinesDialog } from "../features/history/LinesDialog";
import { RewindDialog } from "../features/history/RewindDialog";
import { TakeBackDialog } from "../features/history/TakeBackDialog";
import { ToolsDialog } from "../features/tools/ToolsDialog";
import { useSessions } from "../platform/context";
import { subagentsOf } from "../protocol/sessions";
import type { History } from "./history";

/** The one question about the past that is open, if any. */
export function HistoryDialogs({ history }: { history: History }) {
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
          onDone={(done, conversation) => history.rewound(asking.sessionId, done, conversation)}
        />
      );
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
    case "compact":
      return <CompactDialog {...asking} onClose={close} />;
    case "tools":
      return <ToolsDialog {...asking} onClose={close} />;
    case "delete": {
      const title = sessions.find((one) => one.sessionId === asking.sessionId)?.title || t`Untitled session`;
      const done = (freed: number) => history.removed(asking.sessionId, freed);
      const subagents = subagentsOf(sessions, asking.sessionId).length;
      return <DeleteDialog {...asking} title={title} subagents={subagents} onClose={close} onDone={done} />;
    }
  }
}
