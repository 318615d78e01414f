/** What was intended, planned, done and answered, as the engine tells it of the whole session. */
import { plural, t } from "@lingui/core/macro";
import { useMemo } from "react";
import { VList } from "virtua";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { exactTime } from "../../components/format";
import type { Observation, ObservationType } from "../../protocol/generated";
import { LogEntry } from "./LogEntry";
import { observationWords } from "./observation_words";
import { useObservations } from "./useObservations";

type Props = {
  sessionId: string;
  /** Null: every type. */
  type: ObservationType | null;
  words: string;
  onShow: (seq: number) => void;
};

export function Observations({ sessionId, type, words, onShow }: Props) {
  const { seen, isCut, error } = useObservations(sessionId, type);
  const newestFirst = useMemo(() => withWords(seen, words).reverse(), [seen, words]);
  return (
    <>
      {error && <ErrorNote error={error} />}
      {newestFirst.length === 0 ? (
        <p className="empty secondary">{t`No matching observations.`}</p>
      ) : (
        <VList className="timeline-list">
          {newestFirst.map((one) => (
            <Entry key={one.id} seen={one} onShow={onShow} />
          ))}
        </VList>
      )}
      <div className="timeline-foot small secondary">
        <span className="grow">
          {plural(newestFirst.length, { one: "# observation", other: "# observations" })}
          {isCut ? t` of the newest` : ""}
        </span>
      </div>
    </>
  );
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
