/** The built-in slash commands that the window carries out itself: they change what it shows, and begin no run. */
import type { TypedCommand } from "../features/conversation/menu/typed";
import type { Arki } from "../platform/stores/arki";
import type { Window } from "./use_window";

type Act = (window: Window, words: string, arki: Arki) => unknown;

const acts: Readonly<Record<string, Act>> = {
  compact: ofSession(({ history }, sessionId, focus) =>
    history.setAsking({ about: "compact", sessionId, focus }),
  ),
  context: ({ panes }) => panes.show("context"),
  help: ({ history, selected }) => setTimeout(() => history.putDraft(selected, "/"), 0),
  model: ({ setModel, setDialog }, model) => (model === "" ? setDialog("palette") : setModel(model)),
  new: ({ newSession }) => newSession(),
  // With a task it begins a run, which is the engine's.
  plan: ({ setMode }, task) => task === "" && setMode("plan"),
  rename: ofSession((window, sessionId, title) =>
    title === "" ? window.rename() : window.history.rename(sessionId, title),
  ),
  tools: ofSession(({ history }, sessionId) => history.setAsking({ about: "tools", sessionId })),
  undo: ofSession(undo),
  usage: ofSession(
    ({ history }, sessionId, _, arki) =>
      void import("./history_words").then(({ usageWords }) => history.say(usageWords(sessionId, arki))),
  ),
};

/** Whether there is such a command. One of a session in a new session is left to the engine, which says why it can't be. */
export function carryOut({ name, words }: TypedCommand, window: Window, arki: Arki): boolean {
  const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
  return act !== undefined && act(window, words, arki) !== false;
}

function ofSession(act: (window: Window, sessionId: string, words: string, arki: Arki) => unknown): Act {
  return (window, words, arki) =>
    window.selected === null ? false : act(window, window.selected, words, arki);
}

/** Asks about the last change; where there is none, the engine says so. */
function undo({ history }: Window, sessionId: string, _: string, arki: Arki): unknown {
  const changed = arki.session(sessionId).overview.state.get().overview?.changedFiles ?? [];
  const last = changed.toSorted((a, b) => b.lastSeq - a.lastSeq)[0];
  if (!last) return false;
  return history.setAsking({ about: "take_back", sessionId, seq: last.lastSeq, path: last.path, from: null });
}
