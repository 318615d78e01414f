/** One step of a run: what became of it, its attempts, its output and the artifact that it was kept as. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type ReactNode, useId, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { copyText } from "../../components/copy";
import { ErrorNote } from "../../components/ErrorNote";
import { clock, exactTime } from "../../components/format";
import { List } from "../../components/List";
import { ShowMore } from "../../components/ShowMore";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, Event, PipelineStepEntry } from "../../protocol/generated";
import { artifactsOf, eventsOf } from "./step_log";
import { useAsked } from "./useAsked";
import { eventWords, sizeWords, stepFacts, stepSign, stepWords } from "./words";

type Props = {
  runId: string;
  step: PipelineStepEntry;
  workingMs: number | null;
  events: readonly Event[];
  /** Older events are not loaded. */
  hasOlder: boolean;
  onSession: (sessionId: string) => void;
  children: ReactNode;
};

export function StepPanel({ runId, step, workingMs, events, hasOlder, onSession, children }: Props) {
  const facts = [stepWords(step.state), stepFacts(step, workingMs), step.adapter].filter(Boolean);
  const { sessionId } = step;
  return (
    <section className="step-panel" aria-label={t`Step ${step.step}`}>
      <header className="step-head">
        <h3 className="cut">{step.step}</h3>
        <p className="small secondary grow">
          <span aria-hidden>{stepSign(step.state)} </span>
          {facts.join(" · ")}
        </p>
        {sessionId !== null && (
          <Button small onClick={() => onSession(sessionId)}>
            {t`Open its session`}
          </Button>
        )}
        {children}
      </header>
      {step.failure && <ErrorNote error={step.failure} />}
      <Artifacts runId={runId} step={step.step} events={events} />
      <Output key={step.step} runId={runId} step={step} />
      <Log runId={runId} step={step.step} events={events} hasOlder={hasOlder} />
    </section>
  );
}

type OfStep = { runId: string; step: string; events: readonly Event[] };

function Artifacts({ runId, step, events }: OfStep) {
  const artifacts = artifactsOf(events, runId, step);
  if (artifacts.length === 0) return null;
  return (
    <List className="small" aria-label={t`Artifacts`}>
      {artifacts.map(({ artifactId, name, mediaType, bytes }) => (
        <li key={artifactId}>
          <Trans>
            Its output is kept as the artifact <b>{name}</b> ({mediaType}, {sizeWords(bytes)}).
          </Trans>
        </li>
      ))}
    </List>
  );
}

const pieceChars = 20_000;

function Output({ runId, step }: { runId: string; step: PipelineStepEntry }) {
  const [heading, itemId] = [useId(), useId()];
  const [item, setItem] = useState("");
  const [shown, setShown] = useState(pieceChars);
  const { step: name, items, outputBytes } = step;
  const at = Number(item);
  const isItem = items !== null && Number.isInteger(at) && at >= 1 && at <= items;
  const isThere = outputBytes !== null || isItem;
  const of = isItem ? `${name}[${at - 1}]` : name;
  const { save, busy, path, error } = useSaving(runId, of);
  const asked = useAsked(
    "step_output",
    isThere ? { runId, step: of } : null,
    `${outputBytes} ${step.itemsDone}`,
  );
  const text = asked.answer ?? "";
  const isCut = !isItem && outputBytes !== null && outputBytes > new TextEncoder().encode(text).length;
  return (
    <div className="step-output">
      <div className="step-head">
        <h4 id={heading} className="grow">
          {t`Output`}
        </h4>
        {items !== null && (
          <>
            <label className="small" htmlFor={itemId}>
              {t`Of item`}
            </label>
            <input
              id={itemId}
              className="field step-item"
              type="number"
              min={1}
              max={items}
              placeholder={`1–${items}`}
              value={item}
              onChange={(event) => setItem(event.target.value)}
            />
          </>
        )}
        {text !== "" && (
          <Button small look="quiet" onClick={() => void copyText(text)}>
            {t`Copy output`}
          </Button>
        )}
        {text !== "" && (
          <Button small look="quiet" disabled={busy} onClick={() => void save()}>
            {t`Save output…`}
          </Button>
        )}
      </div>
      <p className="small secondary" role="status">
        {path !== null && t`Saved to ${path}`}
      </p>
      {error && <ErrorNote error={error} />}
      {!isThere && <p className="small secondary">{t`None yet.`}</p>}
      {asked.error && <ErrorNote error={asked.error} />}
      {asked.answer === "" && <p className="small secondary">{t`Empty.`}</p>}
      {text !== "" && (
        <pre className="output" dir="auto" tabIndex={0} role="group" aria-labelledby={heading}>
          <VisibleText text={text.slice(0, shown)} />
        </pre>
      )}
      {text.length > shown && (
        <ShowMore hidden={text.length - shown} what="characters" onMore={() => setShown(shown * 2)} />
      )}
      {isCut && asked.answer !== null && text.length <= shown && (
        <p className="small secondary">{t`The beginning of ${sizeWords(outputBytes)}.`}</p>
      )}
    </div>
  );
}

type Saved = { of: string; path: string | null; error: CommandError | null };

/** Saves all of a step's output, also what is too long to be shown, and says where for as long as that output shows. */
function useSaving(runId: string, step: string) {
  const { platform } = useArki();
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState<Saved | null>(null);
  const save = async () => {
    setBusy(true);
    setSaved(null);
    try {
      const path = await platform.call("save_step_output", { runId, step });
      setSaved({ of: step, path, error: null });
    } catch (thrown) {
      setSaved({ of: step, path: null, error: asCommandError(thrown) });
    }
    setBusy(false);
  };
  const { path, error } = saved?.of === step ? saved : { path: null, error: null };
  return { busy, save, path, error };
}

const firstEvents = 50;

function Log({ runId, step, events, hasOlder }: OfStep & { hasOlder: boolean }) {
  const heading = useId();
  const [shown, setShown] = useState(firstEvents);
  const all = eventsOf(events, runId, step);
  if (all.length === 0 && !hasOlder) return null;
  return (
    <div className="step-log">
      <h4 id={heading}>{t`What happened`}</h4>
      <ol className="small" aria-labelledby={heading}>
        {all.slice(-shown).map((event) => (
          <li key={event.eventId}>
            <time
              className="secondary"
              dateTime={new Date(event.ts).toISOString()}
              title={exactTime(event.ts)}
            >
              {clock(event.ts)}
            </time>{" "}
            {event.payload.step !== step && <code>{event.payload.step} </code>}
            <VisibleText text={eventWords(event)} />
          </li>
        ))}
      </ol>
      {all.length > shown && (
        <ShowMore hidden={all.length - shown} what="rows" onMore={() => setShown(shown * 4)} />
      )}
      {hasOlder && (
        <p className="small secondary">{t`Older events are in the timeline of the run's session.`}</p>
      )}
    </div>
  );
}
