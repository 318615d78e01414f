/** What was intended, planned, done and answered, as the engine tells it of the whole session. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { useEffect, useMemo, useState } from "react";
import { VList } from "virtua";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { exact, exactTime } from "../../components/format";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, Observation, ObservationType } from "../../protocol/generated";
import { LogEntry } from "./LogEntry";

type Props = {
  sessionId: string;
  /** Null: every type. */
  type: ObservationType | null;
  words: string;
  onShow: (seq: number) => void;
};

export function Observations({ sessionId, type, words, onShow }: Props) {
  const { seen, isCut, isLoading, error, retry } = useObservations(sessionId, type);
  const newestFirst = useMemo(() => withWords(seen, words).reverse(), [seen, words]);
  return (
    <>
      {error && <ErrorNote error={error} onAgain={retry} />}
      {newestFirst.length > 0 && (
        <VList className="timeline-list">
          {newestFirst.map((one) => (
            <Entry key={one.id} seen={one} onShow={onShow} />
          ))}
        </VList>
      )}
      {newestFirst.length === 0 && !error && (
        <p className="empty secondary">
          {isLoading ? t`Looking for observations…` : t`No matching observations.`}
        </p>
      )}
      <div className="timeline-foot small secondary">
        {!isLoading && countWords(newestFirst.length, isCut ? seen.length : null)}
      </div>
    </>
  );
}

/** `newest`: how many there are of which no older ones are kept; null where all are. */
function countWords(count: number, newest: number | null): string {
  if (newest === null) return plural(count, { one: "# observation", other: "# observations" });
  const all = exact(newest);
  if (count === newest) return t`The newest ${all} observations`;
  return t`${exact(count)} of the newest ${all} observations`;
}

function Entry({ seen, onShow }: { seen: Observation; onShow: (seq: number) => void }) {
  return (
    <LogEntry
      title={observationWords(seen.type)}
      kind={seen.type}
      words={seen.title}
      ts={seen.timestamp}
      exactTime={exactTime(seen.timestamp)}
      content={() => contentOf(seen)}
    >
      <span className="cut grow">{seen.metadata.eventType}</span>
      <Button small look="quiet" onClick={() => onShow(seen.metadata.seq)}>
        {t`Show in transcript`}
      </Button>
    </LogEntry>
  );
}

function contentOf({ title, content }: Observation): string {
  if (content === null) return title;
  return typeof content === "string" ? content : JSON.stringify(content, null, 2);
}

function withWords(seen: readonly Observation[], words: string): Observation[] {
  const wanted = words.trim().toLowerCase();
  return seen.filter((one) => wanted === "" || one.title.toLowerCase().includes(wanted));
}

const typeWords: Readonly<Record<ObservationType, MessageDescriptor>> = {
  INTENT: msg`Intent`,
  PLAN: msg`Plan`,
  THOUGHTS: msg`Thoughts`,
  TOOL_CALL: msg`Tool call`,
  TOOL_EXECUTION: msg`Tool result`,
  SYNTHESIS: msg`Synthesis`,
  ERROR: msg`Error`,
  FINAL_RESPONSE: msg`Final response`,
  STATE_UPDATE: msg`State update`,
  LLM_STREAM_START: msg`Request`,
  LLM_STREAM_METADATA: msg`Tokens`,
  LLM_STREAM_ERROR: msg`Request failed`,
  LLM_STREAM_END: msg`Response`,
};

/** In the order in which they are offered. */
export const observationTypes = Object.keys(typeWords) as readonly ObservationType[];

export const observationWords = (type: ObservationType): string => i18n._(typeWords[type]);

/** Of a long session the newest are kept. */
export const maxObservations = 2000;

/** The engine answers when there is something to tell: of a session without any it says nothing. */
export const patienceMs = 2000;

type Known = {
  /** Nothing has come yet, and nothing has failed. */
  isLoading: boolean;
  seen: readonly Observation[];
  isCut: boolean;
  error: CommandError | null;
};

const none: Known = { isLoading: true, seen: [], isCut: false, error: null };

/** A session's observations, oldest first: all of the past, then each as it comes. Null: of every type. */
function useObservations(sessionId: string, type: ObservationType | null) {
  const { platform } = useArki();
  const [known, setKnown] = useState<Known>(none);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew
  useEffect(() => {
    let isOver = false;
    let number: number | null = null;
    const end = () => {
      if (number !== null) platform.call("end_observations", { number }).catch(() => {});
      number = null;
    };
    const answered = (part: Partial<Known>) => {
      if (!isOver) setKnown((now) => ({ ...now, isLoading: false, ...part }));
    };
    const hear = async () => {
      const types = type === null ? [] : [type];
      number = await platform.call("begin_observations", {
        filter: { types, sessionId, since: null, until: null },
      });
      while (!isOver && number !== null) {
        const seen = await platform.call("next_observations", { number });
        if (isOver || seen === null) break;
        setKnown((now) => joined(now, seen));
      }
      answered({});
      end();
    };
    setKnown(none);
    const patience = setTimeout(() => answered({}), patienceMs);
    hear().catch((thrown) => answered({ error: asCommandError(thrown) }));
    return () => {
      isOver = true;
      clearTimeout(patience);
      end();
    };
  }, [platform, sessionId, type, attempt]);
  return { ...known, retry: () => setAttempt(attempt + 1) };
}

function joined(now: Known, seen: readonly Observation[]): Known {
  const all = [...now.seen, ...seen];
  const isCut = now.isCut || all.length > maxObservations;
  return { ...now, isLoading: false, seen: all.slice(-maxObservations), isCut };
}
