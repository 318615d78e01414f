/** One box for everything: what can be done, sessions, files, and whatever was said, run or changed in any session. */

import { Dialog as Base } from "@base-ui/react/dialog";
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Command as Cmdk } from "cmdk";
import { type KeyboardEvent, useMemo, useState } from "react";
import { Button } from "../../components/Button";
import type { Command } from "../../components/commands";
import { ErrorNote } from "../../components/ErrorNote";
import { folderName } from "../../components/format";
import { matches } from "../../components/shortcuts";
import { useSessions } from "../../platform/context";
import type { SearchHit } from "../../protocol/generated";
import { Commands, Files, Hits, Sessions } from "./groups";
import { matching, suggested } from "./matching";
import { useFiles, useSearch } from "./searching";
import { matchingSessions, recentSessions } from "./session_matches";
import { keepUsed, usedCommands } from "./used_commands";
import "./palette.css";

type Props = {
  open: boolean;
  onClose: () => void;
  commands: Command[];
  folder: string | null;
  /** A file of the folder, by its path. */
  onFile: (path: string) => void;
  onSession: (sessionId: string) => void;
  onHit: (hit: SearchHit) => void;
};

export function Palette({ open, onClose, commands, folder, onFile, onSession, onHit }: Props) {
  const close = (then: () => void) => {
    onClose();
    // After the dialog has given the focus back, so that a command may place it elsewhere.
    setTimeout(then, 0);
  };
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog wide palette" aria-label={t`Command palette`}>
          <Everything
            commands={commands}
            folder={folder}
            onCommand={(command) => {
              keepUsed(command.id);
              close(command.run);
            }}
            onFile={(path) => close(() => onFile(path))}
            onSession={(sessionId) => close(() => onSession(sessionId))}
            onHit={(hit) => close(() => onHit(hit))}
          />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

type EverythingProps = Omit<Props, "open" | "onClose"> & { onCommand: (command: Command) => void };

const folderKey = "Alt+F";

function Everything({ commands, folder, onCommand, onFile, onSession, onHit }: EverythingProps) {
  const [words, setWords] = useState("");
  const [here, setHere] = useState(false);
  const within = here ? folder : null;
  const all = useSessions();
  const atRest = words.trim() === "";
  const sessions = useMemo(
    () => (atRest ? recentSessions(all, within) : matchingSessions(all, words, within)),
    [all, atRest, words, within],
  );
  const search = useSearch(words, within);
  const files = useFiles(words, folder);
  const first = useMemo(() => (atRest ? suggested(commands, usedCommands()) : []), [commands, atRest]);
  const groups = useMemo(() => {
    const others = commands.filter((one) => !first.includes(one));
    return matching(others, words);
  }, [commands, first, words]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (folder === null || !matches(event.nativeEvent, folderKey)) return;
    event.preventDefault();
    setHere(!here);
  };
  const found = groups.length + sessions.length + files.length + search.hits.length;
  const nothing = found === 0 && !search.searching && !search.error;
  return (
    <Cmdk label={t`Command palette`} loop shouldFilter={false} onKeyDown={onKeyDown}>
      <div className="palette-head">
        <Cmdk.Input
          className="palette-input grow"
          dir="auto"
          placeholder={t`Run a command, open a file, or search all sessions`}
          autoFocus
          value={words}
          onValueChange={setWords}
        />
        {folder !== null && (
          <Button
            small
            look={here ? "plain" : "quiet"}
            aria-pressed={here}
            title={t`Search only the sessions of this folder`}
            shortcut={folderKey}
            onClick={() => setHere(!here)}
          >
            <Trans>
              {here ? "✓ " : ""}Only {folderName(folder)}
            </Trans>
          </Button>
        )}
      </div>
      <Cmdk.List className="palette-list">
        {nothing && (
          <p className="palette-empty secondary">{t`No commands, sessions, files or messages match.`}</p>
        )}
        <Commands section={t`Suggested`} commands={first} onCommand={onCommand} />
        {atRest && <Sessions sessions={sessions} onSession={onSession} />}
        {groups.map(({ section, commands }) => (
          <Commands key={section} section={section} commands={commands} onCommand={onCommand} />
        ))}
        {!atRest && <Sessions sessions={sessions} onSession={onSession} />}
        <Files paths={files} onFile={onFile} />
        <Hits hits={search.hits} onHit={onHit} />
        {search.error && <ErrorNote error={search.error} />}
      </Cmdk.List>
      <p className="palette-state small secondary" role="status">
        {search.searching ? t`Searching all sessions…` : search.words}
      </p>
    </Cmdk>
  );
}
