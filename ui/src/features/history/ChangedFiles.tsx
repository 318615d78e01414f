/** The files this session changed; each leads to who wrote its lines. Those that are as before come last. */

import { plural, t } from "@lingui/core/macro";
import { Code, Ellipsis, FolderOpen } from "lucide-react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ActionMenu } from "../../components/menus";
import { useOverview } from "../../platform/context";
import type { ChangedFile } from "../../protocol/generated";
import "./history.css";
import { List } from "../../components/List";
import { useAsBefore } from "./useAsBefore";

type Props = {
  sessionId: string;
  onLines: (path: string) => void;
  onTakeBack: (path: string, seq: number) => void;
  onEditor: (path: string) => void;
  onReveal: (path: string) => void;
};

export function ChangedFiles({ sessionId, onLines, onTakeBack, ...places }: Props) {
  const { overview } = useOverview(sessionId);
  const files = overview?.changedFiles ?? none;
  const asBefore = useAsBefore(sessionId, files);
  const isChanged = ({ path }: ChangedFile) => !asBefore.has(path);
  // A damaged log can only be read.
  const takeBack = overview?.brokenAt == null ? onTakeBack : null;
  if (files.length === 0) return null;
  return (
    <section className="changed-files" aria-label={t`Files changed in this session`}>
      <h3>{t`Files changed`}</h3>
      <List>
        {files.filter(isChanged).map((file) => (
          <Row key={file.path} file={file} onLines={onLines} onTakeBack={takeBack} {...places} />
        ))}
        {[...asBefore.values()].map((file) => (
          <Row key={file.path} file={file} isAsBefore onLines={onLines} onTakeBack={null} {...places} />
        ))}
      </List>
    </section>
  );
}

const none: readonly ChangedFile[] = [];

type RowProps = Pick<Props, "onEditor" | "onReveal"> & {
  file: ChangedFile;
  isAsBefore?: boolean;
  onLines: Props["onLines"];
  onTakeBack: Props["onTakeBack"] | null;
};

export function Row({ file, isAsBefore = false, onLines, onTakeBack, onEditor, onReveal }: RowProps) {
  return (
    <li className="changed-file">
      <button
        type="button"
        className={`changed-path mono grow ${isAsBefore ? "secondary" : ""}`}
        aria-label={t`Who wrote this: ${file.path}`}
        title={t`Who wrote this: ${file.path}`}
        onClick={() => onLines(file.path)}
      >
        <VisibleText text={file.path} />
      </button>
      <span className="secondary small">
        {isAsBefore ? t`as before` : plural(file.changes, { one: "# change", other: "# changes" })}
      </span>
      {onTakeBack && (
        <Button
          small
          look="quiet"
          label={t`Revert last change to ${file.path}`}
          title={t`Revert last change`}
          onClick={() => onTakeBack(file.path, file.lastSeq)}
        >
          {t`Revert last`}
        </Button>
      )}
      <ActionMenu
        label={t`Open ${file.path}`}
        trigger={<Ellipsis size={14} aria-hidden />}
        actions={[
          { label: t`Open in editor`, icon: <Code size={14} />, run: () => onEditor(file.path) },
          { label: t`Show in folder`, icon: <FolderOpen size={14} />, run: () => onReveal(file.path) },
        ]}
      />
    </li>
  );
}
