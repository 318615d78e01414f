/** Finding in the session that is shown: a field, how many places there are, and going from one to the next. */
import { t } from "@lingui/core/macro";
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { ErrorNote } from "../../components/ErrorNote";
import { IconButton } from "../../components/IconButton";
import { useLatest } from "../../components/latest";
import { Snippet } from "../../components/Snippet";
import { composes } from "../../components/shortcuts";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, SearchHit } from "../../protocol/generated";
import "./find.css";

type Props = {
  sessionId: string;
  /** Counts how often it was asked for: each time the field has the focus again. */
  asked: number;
  onShow: (seq: number, words: string) => void;
  /** There is no place to show any more. */
  onNone: () => void;
  onClose: () => void;
};

export function FindBar({ sessionId, asked, onShow, onNone, onClose }: Props) {
  const [typed, setTyped] = useState("");
  const { of, hits, isCut, isSearching, error } = useFind(sessionId, typed);
  // One reads the end mostly: the newest place comes first.
  const [place, setPlace] = useState({ of: "", at: 0 });
  const at = place.of === of ? Math.min(place.at, hits.length - 1) : hits.length - 1;
  const hit = hits[at];
  const field = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time it is asked for
  useEffect(() => field.current?.select(), [asked]);
  const latest = useLatest({ onShow, onNone });
  const seq = hit?.seq ?? null;
  useEffect(() => {
    if (seq !== null) latest.current.onShow(seq, of);
    else latest.current.onNone();
  }, [seq, of, latest]);
  const step = (by: 1 | -1) => {
    if (hits.length > 0) setPlace({ of, at: (at + by + hits.length) % hits.length });
  };
  const steps = (by: 1 | -1) => ({ disabled: hits.length === 0, onClick: () => step(by) });
  const onKeyDown = (event: KeyboardEvent) => {
    if (composes(event.nativeEvent)) return;
    const by = { Enter: event.shiftKey ? 1 : -1, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Escape") onClose();
    else if (by === 1 || by === -1) step(by);
    else return;
    event.preventDefault();
  };
  return (
    <div role="search" className="find" aria-label={t`Find in this session`}>
      <div className="find-line">
        <input
          ref={field}
          type="search"
          className="field grow"
          dir="auto"
          aria-label={t`Find in this session`}
          placeholder={t`Find in this session`}
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: it is there because one asked to search
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <span className="find-count small secondary" role="status">
          {countWords({ isSearching, of, at, count: hits.length, isCut })}
        </span>
        <IconButton {...steps(-1)} label={t`Previous match`} shortcut="Enter" icon={ArrowUp} />
        <IconButton {...steps(1)} label={t`Next match`} shortcut="Shift+Enter" icon={ArrowDown} />
        <IconButton label={t`Close find`} shortcut="Escape" icon={X} onClick={onClose} />
      </div>
      {hit && (
        <p className="find-snippet small secondary cut" dir="auto">
          <Snippet parts={hit.snippet} />
        </p>
      )}
      {error && <ErrorNote error={error} />}
    </div>
  );
}

type Count = { isSearching: boolean; of: string; at: number; count: number; isCut: boolean };

function countWords({ isSearching, of, at, count, isCut }: Count): string {
  if (isSearching) return t`Searching…`;
  if (of === "") return "";
  if (count === 0) return t`No matches`;
  return isCut ? t`${at + 1} of the newest ${count}` : t`${at + 1} of ${count}`;
}

/** A pause in typing. */
const debounceMs = 120;
/** As many as the engine tells of one text. */
const mostHits = 1_000;

/** What the transcript shows elsewhere too, or not at all. */
const repeated: ReadonlySet<string> = new Set([
  "session.created",
  "session.configured",
  "message.queued",
  "queue.changed",
  "run.completed",
  "approval.requested",
  "approval.resolved",
]);

type Found = {
  /** What was searched for. */
  of: string;
  /** The oldest first. */
  hits: readonly SearchHit[];
  /** There are older ones. */
  isCut: boolean;
  error: CommandError | null;
};

const nothing: Found = { of: "", hits: [], isCut: false, error: null };

/** Finds a text in the whole session, also in what is not drawn, once the typing pauses. What was found stays until the next answer. */
function useFind(sessionId: string, typed: string): Found & { isSearching: boolean } {
  const { platform } = useArki();
  const [found, setFound] = useState(nothing);
  const text = typed.trim();
  const isWanted = text !== "";
  useEffect(() => {
    if (!isWanted) return setFound(nothing);
    let isCurrent = true;
    const search = async () => {
      try {
        const all = await platform.call("find_in_session", { sessionId, text, limit: mostHits });
        const hits = all.filter((hit) => !repeated.has(hit.type)).reverse();
        if (isCurrent) setFound({ of: text, hits, isCut: all.length >= mostHits, error: null });
      } catch (thrown) {
        if (isCurrent) setFound({ ...nothing, of: text, error: asCommandError(thrown) });
      }
    };
    const timer = setTimeout(search, debounceMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [platform, sessionId, isWanted, text]);
  return { ...found, isSearching: isWanted && found.of !== text };
}
