/** What was intended, planned, done and answered, as the engine tells it of the whole session. */
import { plural, t } from "@lingui/core/macro";
import { useId, useMemo, useState } from "react";
import { VList } from "virtua";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { Disclosure } from "../../components/Disclosure";
import { ErrorNote } from "../../components/ErrorNote";
import { clock, exactTime } from "../../components/format";
import type { Observation, ObservationType } from "../../protocol/generated";
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
  const [open, setOpen] = useState(false);
  const body = useId();
  return (
    <div className="entry">
      <Disclosure open={open} onToggle={() => setOpen(!open)} controls={body}>
        <span className="entry-type" title={seen.type}>
          {observationWords(seen.type)}
        </span>
        <span className="secondary cut grow">{seen.title}</span>
        <span className="secondary small" title={exactTime(seen.timestamp)}>
          {clock(seen.timestamp)}
        </span>
      </Disclosure>
      {open && (
        <div id={body} className="entry-body">
          <pre tabIndex={0}>
            <VisibleText text={contentOf(seen)} />
          </pre>
          <p className="entry-facts small secondary">
            <span className="cut grow">{seen.metadata.eventType}</span>
            <Button small look="quiet" onClick={() => onShow(seen.metadata.seq)}>
              {t`Show in transcript`}
            </Button>
          </p>
        </div>
      )}
    </div>
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
