/** Going back, forking, finding, keeping and removing sessions: what the features ask of one another about the past. */
import { t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { copyText } from "../components/copy";
import { forgetDrafts } from "../components/drafts";
import type { Draft } from "../features/conversation/Composer";
import type { Place } from "../features/conversation/place";
import { useArki } from "../platform/context";
import { asCommandError, type Params } from "../platform/platform";
import type {
  CommandError,
  ExportFormat,
  HistorySource,
  LineOrigin,
  WorktreeOf,
} from "../protocol/generated";
import { subagentsOf } from "../protocol/sessions";
import type { SentMessage } from "../protocol/transcript";

/** The question that is open about a session's past. */
export type Asking =
  /** `words`: of the message before which it goes back, to be edited. */
  | {
      about: "rewind";
      sessionId: string;
      toSeq: number;
      undoes: number | null;
      words?: string;
      filesOnly?: boolean;
    }
  | { about: "lines"; sessionId: string; path: string }
  | { about: "commit"; sessionId: string }
  | { about: "take_back"; sessionId: string; seq: number; path: string; from: Asking | null }
  | { about: "tools"; sessionId: string }
  | { about: "settings"; sessionId: string }
  | { about: "compact"; sessionId: string; focus?: string }
  | { about: "delete"; sessionId: string }
  | { about: "link"; url: string; text: string }
  /** A new session in a worktree of this folder's project. */
  | { about: "worktree"; folder: string }
  | { about: "remove_worktree"; worktree: WorktreeOf };

type Given = {
  selected: string | null;
  /** `project`: the session's folder, where the list may not know it. */
  go: (sessionId: string | null, project?: string) => void;
  focusMessageNext: () => void;
};

type Opening = "open_in_editor" | "show_in_folder" | "open_terminal" | "open_window";
type Open = <Name extends Opening>(name: Name, params: Params<Name>) => void;

type Said = { words: string | null; error: CommandError | null };
const silence: Said = { words: null, error: null };

export type History = ReturnType<typeof useHistory>;

export function useHistory({ selected, go, focusMessageNext }: Given) {
  const arki = useArki();
  const [asking, setAsking] = useState<Asking | null>(null);
  const [place, setPlace] = useState<Place | null>(null);
  const [draft, setDraft] = useState<(Draft & { sessionId: string | null }) | null>(null);
  const [said, setSaid] = useState(silence);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what failed in another session is not about this one
  useEffect(() => setSaid((now) => (now.error === null ? now : silence)), [selected]);
  const say = (words: string) => setSaid({ words, error: null });
  const wording = () => import("./history_words");
  const attempt = async (work: () => Promise<void>) => {
    setSaid(silence);
    try {
      await work();
    } catch (thrown) {
      setSaid({ words: null, error: asCommandError(thrown) });
    }
  };
  const putDraft = (sessionId: string | null, text: string) =>
    setDraft((now) => ({ sessionId, text, at: (now?.at ?? 0) + 1 }));

  // Counted on, so that the same words put in again are another time.
  /** Puts what was said in a session into the message box again, there or in its fork. */
  const putSaid = (sessionId: string, saidIn: string, { text, pictures }: SentMessage) => {
    putDraft(sessionId, text);
    if (pictures.length === 0) return;
    void import("../features/conversation/pictures/attach").then(({ attachSent }) =>
      attachSent(arki.platform, sessionId, saidIn, pictures),
    );
  };

  /** Puts words about a place into the message box. */
  const ask = (sessionId: string, words: string) => {
    putDraft(sessionId, words);
    focusMessageNext();
  };
  const draftTaken = () => setDraft((now) => now && { ...now, text: "" });

  /** Null: the question that is open there. */
  const show = (sessionId: string, seq: number | null, project?: string) => {
    setAsking(null);
    go(sessionId, project);
    setPlace((now) => ({ sessionId, seq, at: (now?.at ?? 0) + 1 }));
  };
  /** Shows what was found in the session that is shown; one goes on typing. */
  const showFound = (sessionId: string, seq: number, words: string) =>
    setPlace((now) => ({ sessionId, seq, at: (now?.at ?? 0) + 1, words }));
  const rename = (sessionId: string, title: string) =>
    void attempt(async () => {
      await arki.platform.call("rename_session", { sessionId, title });
    });
  const fork = (sessionId: string, atSeq: number | null, said: SentMessage | null) =>
    void attempt(async () => {
      const made = await arki.platform.call("fork_session", { sessionId, atSeq });
      await arki.refreshSessions();
      go(made.sessionId);
      if (said !== null) putSaid(made.sessionId, sessionId, said);
      focusMessageNext();
    });
  const edit = (sessionId: string, toSeq: number, words: string) =>
    setAsking({ about: "rewind", sessionId, toSeq, undoes: null, words });
  /** `said`: what is put into the message box again; null where the conversation stays. */
  const rewound = (sessionId: string, said: SentMessage | null) => {
    setAsking(null);
    if (said !== null) putSaid(sessionId, sessionId, said);
    focusMessageNext();
  };
  const takeBack = (line: LineOrigin, sessionId: string, path: string) => {
    if (line.seq === null) return;
    const of = line.sessionId ?? sessionId;
    setAsking({ about: "take_back", sessionId: of, seq: line.seq, path, from: asking });
  };
  const copyLink = (sessionId: string) => {
    void copyText(`arki://session/${sessionId}`);
    say(t`The link to this session is copied.`);
  };
  const keep = (format: ExportFormat) =>
    void attempt(async () => {
      if (selected === null) return;
      const path = await arki.platform.call("export_session", { sessionId: selected, format });
      if (path !== null) say((await wording()).exported(path));
    });
  const bring = () => void attempt(async () => (await wording()).bringExport(arki, go, say));
  const bringFrom = (from: HistorySource, folder: string | null) =>
    void attempt(async () => (await wording()).bringHistory(arki, from, folder, say));
  const mark = (sessionId: string, marks: { pinned: boolean | null; archived: boolean | null }) =>
    void attempt(async () => void (await arki.platform.call("mark_session", { sessionId, ...marks })));
  const inWorktree = (folder: string) => {
    setAsking(null);
    go(null, folder);
    focusMessageNext();
  };
  const bringBranch = ({ project, branch }: WorktreeOf) =>
    void attempt(async () => {
      const { commits } = await arki.platform.call("bring_worktree", { folder: project, branch });
      say((await wording()).branchBrought(commits, branch, project));
    });
  const worktreeRemoved = (branch: string) => {
    setAsking(null);
    void wording().then((words) => say(words.worktreeRemoved(branch)));
  };
  /** With a program of the user's own: what came of it is said here if it fails. */
  const open: Open = (name, params) =>
    void attempt(async () => void (await arki.platform.call(name, params)));
  const committed = (said: string) => {
    setAsking(null);
    say(said);
  };
  const removed = (sessionId: string, freedBytes: number) => {
    setAsking(null);
    const gone = new Set([sessionId, ...subagentsOf(arki.sessions.get(), sessionId)]);
    const stays = (one: { sessionId: string }) => !gone.has(one.sessionId);
    gone.forEach(forgetDrafts);
    arki.sessions.update((list) => list.filter(stays));
    arki.approvals.update((list) => list.filter(stays));
    arki.questions.update((list) => list.filter(stays));
    if (selected !== null && gone.has(selected)) go(null);
    void wording().then((words) => say(words.deleted(freedBytes)));
  };
  return {
    asking,
    setAsking,
    place,
    draft,
    said,
    say,
    hush: () => setSaid(silence),
    putDraft,
    ask,
    draftTaken,
    /** Going to a session by hand shows its end, not where a search once led. */
    leavePlace: () => setPlace((now) => now && { ...now, sessionId: "" }),
    show,
    showFound,
    showQuestion: (sessionId: string) => show(sessionId, null),
    rename,
    fork,
    edit,
    rewound,
    takeBack,
    copyLink,
    keep,
    bring,
    bringFrom,
    mark,
    open,
    removed,
    committed,
    inWorktree,
    bringBranch,
    worktreeRemoved,
  };
}
