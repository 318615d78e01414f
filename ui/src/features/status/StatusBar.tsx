/** The facts under which Arki works. Whatever can be changed is a button that changes it. */
import { t } from "@lingui/core/macro";
import { Folder } from "lucide-react";
import { folderName, homePath } from "../../components/format";
import { lazily } from "../../components/lazily";
import { useApp, useCatalogue, useFolder, useNextModel } from "../../platform/context";
import type { ProjectState, SessionSummary, Shown } from "../../protocol/generated";
import type { PlaceActions } from "./FolderMenu";
import "./status.css";

// Not before the first content: nothing is used yet, no run is resumed, and no update known.
const Used = lazily(() => import("./facts").then((part) => part.Used));
const RunState = lazily(() => import("./facts").then((part) => part.RunState));
const UpdateButton = lazily(() => import("./facts").then((part) => part.UpdateButton));

type Props = {
  shown: Shown | null;
  /** Where another than the default was chosen. */
  model: string | null;
  onTrust: () => void;
  onContext: () => void;
  onUsage: () => void;
  onUpdate: () => void;
  /** Null where the folder can't be opened. */
  places: PlaceActions | null;
  session: SessionSummary | null;
  /** Null where there is nothing to go on with. */
  onResume: (() => void) | null;
};

const Sandbox = lazily(() => import("./facts").then((part) => part.Sandbox));
const FolderMenu = lazily(() => import("./FolderMenu").then((part) => part.FolderMenu));

export function StatusBar(props: Props) {
  const { shown, onTrust, session, onResume } = props;
  const app = useApp();
  const current = useNextModel(shown?.sessionId ?? null, props.model);
  const { models } = useCatalogue();
  return (
    <footer className="status" role="contentinfo" aria-label={t`Status`}>
      {shown && <FolderButton folder={shown.folder} onTrust={onTrust} />}
      {shown && props.places && <FolderMenu folder={shown.folder} {...props.places} />}
      {session && <RunState session={session} onResume={onResume} />}
      <span className="grow" />
      {shown?.sessionId && (
        <Used
          sessionId={shown.sessionId}
          model={models.find((one) => one.id === current) ?? null}
          onContext={props.onContext}
          onUsage={props.onUsage}
        />
      )}
      <UpdateButton onUpdate={props.onUpdate} />
      {app?.sandbox && <Sandbox name={app.sandbox} />}
    </footer>
  );
}

function FolderButton({ folder, onTrust }: { folder: string; onTrust: () => void }) {
  const project = useFolder(folder);
  if (project) return <ProjectButton project={project} onTrust={onTrust} />;
  return (
    <span className="status-fact status-folder" title={t`${folder}: not open`}>
      <Path path={folder} />
      <span>· {t`not open`}</span>
    </span>
  );
}

function ProjectButton({ project, onTrust }: { project: ProjectState; onTrust: () => void }) {
  const standing = standingOf(project);
  // A note may be there for good, as in a folder with very many files.
  const isCalm = project.trust === "trusted" && project.changed.length === 0;
  const details = project.notices.length > 0 ? project.notices.join(" ") : t`show what trust turns on`;
  return (
    <button
      type="button"
      className="status-button status-folder"
      title={`${project.path}: ${details}`}
      onClick={onTrust}
    >
      <Folder size={14} aria-hidden />
      <Path path={project.path} />
      <span className={isCalm ? "status-usual" : "status-attention"}>
        · {isCalm ? standing : `! ${standing}`}
      </span>
    </button>
  );
}

/** Where there is little room, its head goes: the folder's own name stays. */
function Path({ path }: { path: string }) {
  const shown = homePath(path);
  const name = folderName(shown);
  return (
    <span className="status-path" dir="ltr">
      <span className="status-head cut">
        <bdi dir="ltr">{shown.slice(0, shown.length - name.length)}</bdi>
      </span>
      <span className="status-name cut">{name}</span>
    </span>
  );
}

function standingOf(project: ProjectState): string {
  if (project.trust !== "trusted") return t`untrusted`;
  if (project.changed.length > 0) return t`trust changed`;
  return project.notices.length > 0 ? t`trusted, with a notice` : t`trusted`;
}
