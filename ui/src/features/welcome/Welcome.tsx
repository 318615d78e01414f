import { t } from "@lingui/core/macro";
import { FolderOpen } from "lucide-react";
import { useEffect, useState } from "react";
import mark from "../../../../icons/arki.svg";
import { Button } from "../../components/Button";
import { useCan } from "../../components/can";
import { useKeysOf } from "../../components/command_keys";
import { ErrorNote } from "../../components/ErrorNote";
import { folderName, homePath } from "../../components/format";
import { List } from "../../components/List";
import { useLatest } from "../../components/latest";
import type { OnLink } from "../../components/markdown/Markdown";
import { showShortcut } from "../../components/shortcuts";
import { useActs } from "../../components/useActs";
import { useApp, useArki } from "../../platform/context";
import { windowError } from "../../platform/platform";
import type { CommandError, DragStep } from "../../protocol/generated";
import { ModelChoice } from "./parts";
import "./welcome.css";

type Props = {
  error: CommandError | null;
  onOpenFolder: () => void;
  onOpen: (path: string) => void;
  /** To the list of sessions, where nothing can be opened. */
  onSessions: () => void;
  /** To a new copy of the sample, with the demo. */
  onSample: () => void;
  onModel: (id: string) => void;
  onLink: OnLink;
};

/** No folder is open: one sentence, one action, one shortcut, where one has been before, and which model answers. */
export function Welcome({ error, onOpenFolder, onOpen, onSessions, onSample, onModel, onLink }: Props) {
  const recent = useApp()?.recentProjects ?? [];
  const keys = useKeysOf("open");
  const drop = useDroppedFolder(onOpen);
  const failed = drop.error ?? error;
  const can = useCan();
  if (!can("open_project")) {
    return (
      <div className="welcome">
        <img className="welcome-mark" src={mark} alt="" />
        <h1>{t`Choose a session`}</h1>
        <p className="secondary">{t`You can look on here, answer, approve and stop.`}</p>
        <p className="welcome-action">
          <Button look="primary" onClick={onSessions}>
            {t`Sessions`}
          </Button>
        </p>
      </div>
    );
  }
  return (
    <div className={drop.isOver ? "welcome over" : "welcome"}>
      <img className="welcome-mark" src={mark} alt="" />
      <h1>{t`Open a folder to work on`}</h1>
      <p className="secondary">
        {t`Arki reads it and proposes changes. It writes nothing until you accept, line by line if you like.`}
      </p>
      <p className="welcome-action">
        <Button look="primary" icon={<FolderOpen size={16} aria-hidden />} onClick={onOpenFolder}>
          {t`Open folder`}
        </Button>
        {keys && <kbd>{showShortcut(keys)}</kbd>}
        {can("take_dropped_folder") && <span className="secondary">{t`or drop one here`}</span>}
      </p>
      {can("make_sample") && (
        <p className="welcome-action">
          <Button onClick={onSample}>{t`Try the demo on a sample`}</Button>
          <span className="secondary">{t`a new folder, no key, no network`}</span>
        </p>
      )}
      {failed && <ErrorNote error={failed} />}
      {recent.length > 0 && (
        <section aria-label={t`Recent projects`}>
          <h3 className="secondary">{t`Recent`}</h3>
          <List className="recent">
            {recent.slice(0, 8).map((path) => (
              <li key={path}>
                <button type="button" className="recent-item" title={path} onClick={() => onOpen(path)}>
                  <span>{folderName(path)}</span>
                  <span className="secondary cut">{homePath(path)}</span>
                </button>
              </li>
            ))}
          </List>
        </section>
      )}
      {can("set_key") && <ModelChoice onChosen={onModel} onLink={onLink} />}
    </div>
  );
}

/** A folder that is dropped onto the window, to be opened. */
function useDroppedFolder(onOpen: (path: string) => void) {
  const { platform } = useArki();
  const [isOver, setOver] = useState(false);
  const { error, attempt } = useActs();
  const open = useLatest(onOpen);
  useEffect(() => {
    let isHeard = true;
    const dropped = () =>
      attempt(async () => {
        const path = await platform.call("take_dropped_folder", {});
        if (!isHeard) return;
        if (path !== null) return open.current(path);
        throw windowError(t`What you dropped isn't a folder.`, t`Drop the folder of your project.`);
      });
    const listening = platform.onDrag((step: DragStep) => {
      if (!isHeard || !platform.can("take_dropped_folder")) return;
      setOver(step === "over");
      if (step === "dropped") void dropped();
    });
    return () => {
      isHeard = false;
      void listening.then((stop) => stop());
    };
  }, [platform, open, attempt]);
  return { isOver, error };
}
