/** What the session came to: its files, each with its change as one, what can be done with all of it, and the checks that ran. */

import { plural, t } from "@lingui/core/macro";
import {
  ChevronDown,
  ChevronRight,
  Code,
  Ellipsis,
  FolderOpen,
  GitCommitHorizontal,
  Undo2,
  Users,
} from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { useCan } from "../../components/can";
import { VisibleText } from "../../components/code/VisibleText";
import { IconButton } from "../../components/IconButton";
import { List } from "../../components/List";
import { lazily } from "../../components/lazily";
import { ActionMenu } from "../../components/menus";
import { useArki, useOverview, useSessionPart, useSessions } from "../../platform/context";
import { lastChecks } from "../../protocol/checks";
import type { ChangedFile, ResultFile, SessionResult } from "../../protocol/generated";
import { isUnfinished } from "../../protocol/sessions";
import "./history.css";

const NetDiff = lazily(() => import("./NetDiff").then((part) => part.NetDiff));

type Props = {
  sessionId: string;
  onLines: (path: string) => void;
  onTakeBack: (path: string, seq: number) => void;
  onEditor: (path: string) => void;
  onReveal: (path: string) => void;
  onCommit: () => void;
  onRevert: () => void;
  /** Puts words about a place into the message box. */
  onAsk: (words: string) => void;
};

export function ChangedFiles({ sessionId, onTakeBack, onCommit, onRevert, ...does }: Props) {
  const { overview } = useOverview(sessionId);
  const files = overview?.changedFiles ?? none;
  const can = useCan();
  const state = useSessions().find((one) => one.sessionId === sessionId)?.state;
  const isAtRest = state === undefined || !isUnfinished(state);
  // At work only its changes count, of which the files tell.
  const lastSeq = useSessionPart(sessionId, (view) => (isAtRest ? (view.window.events.at(-1)?.seq ?? 0) : 0));
  const result = useResult(sessionId, files, lastSeq);
  const told = new Map(result?.files.map((file) => [file.path, file]));
  const isChanged = ({ path }: ChangedFile) => result === null || told.has(path);
  // A damaged log can only be read.
  const isWhole = overview?.brokenAt == null;
  if (files.length === 0) return null;
  const isIdle = isWhole && isAtRest && told.size > 0;
  return (
    <section className="changed-files" aria-label={t`Files changed in this session`}>
      <div className="result-head">
        <h3 className="grow">{t`Files changed`}</h3>
        <Checks sessionId={sessionId} />
        {isIdle &&
          can("commit_changes") &&
          result !== null &&
          result.branch !== null &&
          result.files.some((file) => !file.isCommitted) && (
            <Button small icon={<GitCommitHorizontal size={14} aria-hidden />} onClick={onCommit}>
              {t`Commit…`}
            </Button>
          )}
        {isIdle && can("rewind") && (
          <Button small look="quiet" icon={<Undo2 size={14} aria-hidden />} onClick={onRevert}>
            {t`Revert all…`}
          </Button>
        )}
      </div>
      <List>
        {[...files.filter(isChanged), ...files.filter((file) => !isChanged(file))].map((file) => (
          <Row
            key={file.path}
            sessionId={sessionId}
            file={file}
            net={told.get(file.path) ?? null}
            isAsBefore={!isChanged(file)}
            onTakeBack={isWhole && isChanged(file) && can("take_back") ? onTakeBack : null}
            {...does}
          />
        ))}
      </List>
    </section>
  );
}

const none: readonly ChangedFile[] = [];

type Known = { of: string; result: SessionResult | null };

/** What its changes come to, asked for anew after each. Null until it is told, and where it can't be. `lastSeq`: of anything that may have made it another one. */
function useResult(sessionId: string, files: readonly ChangedFile[], lastSeq: number): SessionResult | null {
  const { platform } = useArki();
  const [known, setKnown] = useState<Known>({ of: sessionId, result: null });
  const seq = Math.max(0, ...files.map((file) => file.lastSeq));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `seq` and `lastSeq` say when it is another one
  useEffect(() => {
    if (seq === 0) return;
    let isWanted = true;
    platform.call("session_result", { sessionId }).then(
      (result) => isWanted && setKnown({ of: sessionId, result }),
      // Where it can't be told, the files are listed as changed.
      () => isWanted && setKnown({ of: sessionId, result: null }),
    );
    return () => {
      isWanted = false;
    };
  }, [platform, sessionId, seq, lastSeq]);
  return known.of === sessionId ? known.result : null;
}

/** The checks that ran, with how they came out last. */
function Checks({ sessionId }: { sessionId: string }) {
  const transcript = useSessionPart(sessionId, (view) => view.transcript);
  return lastChecks(transcript)
    .slice(0, 3)
    .map(({ name, passed }) => (
      <span key={name} className={`small ${passed ? "secondary" : "attention"}`}>
        {passed ? t`✓ ${name}` : t`✕ ${name}`}
      </span>
    ));
}

type RowProps = Pick<Props, "sessionId" | "onLines" | "onEditor" | "onReveal"> & {
  file: ChangedFile;
  net?: ResultFile | null;
  isAsBefore?: boolean;
  onTakeBack?: Props["onTakeBack"] | null;
  onAsk?: Props["onAsk"];
};

export function Row({ sessionId, file, net = null, isAsBefore = false, onAsk, ...does }: RowProps) {
  const { onLines, onTakeBack } = does;
  const [open, setOpen] = useState(false);
  const { path } = file;
  return (
    <li>
      <div className="changed-file">
        <IconButton
          label={open ? t`Hide changes of ${path}` : t`Show changes of ${path}`}
          aria-expanded={open}
          icon={open ? ChevronDown : ChevronRight}
          disabled={isAsBefore}
          onClick={() => setOpen(!open)}
        />
        <button
          type="button"
          className={`changed-path mono grow ${isAsBefore ? "secondary" : ""}`}
          aria-label={t`Who wrote this: ${path}`}
          title={t`Who wrote this: ${path}`}
          onClick={() => onLines(path)}
        >
          <VisibleText text={path} />
        </button>
        <Standing file={file} net={net} isAsBefore={isAsBefore} />
        {onTakeBack && (
          <Button
            small
            look="quiet"
            label={t`Revert last change to ${path}`}
            title={t`Revert last change`}
            onClick={() => onTakeBack(path, file.lastSeq)}
          >
            {t`Revert last`}
          </Button>
        )}
        <ActionMenu
          label={t`Open ${path}`}
          trigger={<Ellipsis size={14} aria-hidden />}
          actions={[
            {
              label: t`Open in editor`,
              icon: <Code size={14} />,
              needs: "open_in_editor",
              run: () => does.onEditor(path),
            },
            {
              label: t`Show in folder`,
              icon: <FolderOpen size={14} />,
              needs: "show_in_folder",
              run: () => does.onReveal(path),
            },
            { label: t`Who wrote this`, icon: <Users size={14} />, run: () => onLines(path) },
          ]}
        />
      </div>
      {open && <NetDiff sessionId={sessionId} path={path} seq={file.lastSeq} onAsk={onAsk} />}
    </li>
  );
}

/** How much it is, and what became of it since. */
function Standing({ file, net, isAsBefore }: Required<Pick<RowProps, "file" | "net" | "isAsBefore">>) {
  if (isAsBefore) return <span className="secondary small">{t`as before`}</span>;
  const notes = [net?.isCommitted ? t`committed` : "", net?.isChangedSince ? t`changed by you since` : ""];
  return (
    <>
      <span className="secondary small">{notes.filter((words) => words !== "").join(", ")}</span>
      {net === null || net.added === null || net.removed === null ? (
        <span className="secondary small">
          {plural(file.changes, { one: "# change", other: "# changes" })}
        </span>
      ) : (
        <span className="file-counts mono">
          {net.added > 0 && <span className="plus">+{net.added}</span>}
          {net.removed > 0 && <span className="minus">−{net.removed}</span>}
        </span>
      )}
    </>
  );
}
