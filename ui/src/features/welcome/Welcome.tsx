import { t } from "@lingui/core/macro";
import { FolderOpen } from "lucide-react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { folderName, homePath } from "../../components/format";
import { showShortcut } from "../../components/shortcuts";
import { useApp } from "../../platform/context";
import type { CommandError } from "../../protocol/generated";
import "./welcome.css";

type Props = { error: CommandError | null; onOpenFolder: () => void; onOpen: (path: string) => void };

/** No folder is open: one sentence, one action, one shortcut, and where one has been before. */
export function Welcome({ error, onOpenFolder, onOpen }: Props) {
  const recent = useApp()?.recentProjects ?? [];
  return (
    <div className="welcome">
      <h1>{t`Open a folder to work on`}</h1>
      <p className="secondary">
        {t`Arki reads it and proposes changes. It writes nothing until you accept, line by line if you like.`}
      </p>
      <p className="welcome-action">
        <Button look="primary" icon={<FolderOpen size={16} aria-hidden />} onClick={onOpenFolder}>
          {t`Open folder`}
        </Button>
        <kbd>{showShortcut("Mod+O")}</kbd>
      </p>
      {error && <ErrorNote error={error} />}
      {recent.length > 0 && (
        <section aria-label={t`Recent projects`}>
          <h3 className="secondary">{t`Recent`}</h3>
          <ul className="recent">
            {recent.slice(0, 8).map((path) => (
              <li key={path}>
                <button type="button" className="recent-item" title={path} onClick={() => onOpen(path)}>
                  <span>{folderName(path)}</span>
                  <span className="secondary cut">{homePath(path)}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
