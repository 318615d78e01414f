/**
 * What the window shows: one folder, and a session of it or a new one. The conversation, the status bar and whatever is
 * sent take it from here, so that none of them can speak of another folder than the rest.
 */
import { t } from "@lingui/core/macro";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLatest } from "../components/latest";
import { useArki, useOpenFolder, useSessions, useWaiting } from "../platform/context";
import { asCommandError, windowError } from "../platform/platform";
import { useStore } from "../platform/stores/store";
import type { CommandError, Shown } from "../protocol/generated";
import { folderOf } from "../protocol/sessions";

/** What was chosen, and which folder was open then: another that is opened later starts anew. */
export type Choice = { over: string | null; shown: Shown };

export function shownOver(open: string | null, choice: Choice | null): Shown | null {
  if (choice && (choice.over === open || choice.shown.folder === open)) return choice.shown;
  return open === null ? null : { folder: open, sessionId: null };
}

/** `onLed`: a session leads to another folder, which is about to be opened. */
export function useShown(onLed: (folder: string) => void) {
  const arki = useArki();
  const open = useOpenFolder()?.path ?? null;
  const [choice, setChoice] = useState<Choice | null>(null);
  const shown = shownOver(open, choice);
  const unavailable = useFolderOpened(shown?.folder ?? null, open, onLed);
  const choose = useCallback(
    (next: Shown) => setChoice({ over: arki.app.get()?.project?.path ?? null, shown: next }),
    [arki],
  );
  useEffect(() => {
    // Once its folder is open, a choice holds over that one alone.
    setChoice((now) => (now && now.shown.folder === open ? { ...now, over: open } : now));
  }, [open]);
  useFirstSession(open, choice, choose);
  /** Null: a new session, in the folder that is shown or, where that one is gone, in the open one. */
  const select = (sessionId: string | null, project?: string) => {
    const sessions = arki.sessions.get();
    const session = sessions.find((one) => one.sessionId === sessionId);
    const known = session ? folderOf(session, sessions) : project;
    const own = sessionId === null && unavailable ? open : shown?.folder;
    const folder = known ?? own ?? open;
    if (folder !== null) choose({ folder, sessionId });
  };
  return { shown, unavailable, select };
}

/** Opens the folder of what is shown. What stands against it, in the engine's words. */
function useFolderOpened(folder: string | null, open: string | null, onLed: (folder: string) => void) {
  const arki = useArki();
  const led = useLatest(onLed);
  const [failed, setFailed] = useState<{ folder: string; error: CommandError } | null>(null);
  useEffect(() => {
    if (folder === null || folder === open || !arki.platform.can("open_project")) return setFailed(null);
    let left = false;
    led.current(folder);
    const opening = arki.openProject(folder).then(
      ({ path }) => (path === folder ? null : movedTo(folder, path)),
      (thrown) => asCommandError(thrown),
    );
    void opening.then((error) => {
      if (!left && error) setFailed({ folder, error });
    });
    return () => {
      left = true;
    };
  }, [arki, folder, open, led]);
  return failed?.folder === folder ? failed.error : null;
}

function movedTo(folder: string, path: string): CommandError {
  const message = t`${folder} now leads to ${path}.`;
  return windowError(message, t`Start a new session there.`);
}

/** A folder that has been opened begins a new session, unless one of it waits for the user. */
function useFirstSession(open: string | null, choice: Choice | null, choose: (shown: Shown) => void) {
  const sessions = useSessions();
  const waiting = useWaiting();
  const ready = useStore(useArki().ready);
  const begun = useRef<string | null>(null);
  // Before anything is painted: a new session's first words would show for a moment.
  useLayoutEffect(() => {
    if (!ready || open === null || begun.current === open) return;
    begun.current = open;
    if (shownOver(open, choice)?.sessionId) return;
    const here = sessions.filter((session) => folderOf(session, sessions) === open);
    const asks = here.find(
      (one) =>
        (one.state === "waiting" && one.parent === null) ||
        waiting.some(({ sessionId }) => sessionId === one.sessionId),
    );
    if (asks) choose({ folder: open, sessionId: asks.sessionId });
  }, [ready, open, choice, sessions, waiting, choose]);
}
