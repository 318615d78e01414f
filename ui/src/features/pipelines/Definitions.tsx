/** The pipelines that can be run in the folder, and the form that starts the chosen one. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type Ref, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { List } from "../../components/List";
import { moveByArrow, useListOrThing } from "../../components/list_or_thing";
import type { PipelineEntry } from "../../protocol/generated";
import { columnsOf } from "./layers";
import { StartForm } from "./StartForm";
import type { Asked } from "./useAsked";
import type { RunPlace } from "./useRun";
import { matching, problemAt } from "./values";
import { originWords } from "./words";

type Props = {
  folder: string | null;
  pipelines: Asked<"list_pipelines">;
  onStarted: (run: RunPlace) => void;
};

/** Fewer than this are seen at a glance. */
const worthFiltering = 10;

export function Definitions({ folder, pipelines, onStarted }: Props) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [words, setWords] = useState("");
  const { answer: entries, error, ask } = pipelines;
  const { open, close, hidesList, frame } = useListOrThing();
  const back = useRef<HTMLButtonElement>(null);
  const choose = (name: string) => {
    setChosen(name);
    open();
    // What was pressed may be out of sight by then.
    setTimeout(() => hidesList() && back.current?.focus(), 0);
  };
  if (folder === null)
    return (
      <p className="secondary">{t`Open a folder first: pipelines run in a folder. Runs and schedules are in the other tabs.`}</p>
    );
  const entry = entries?.find(({ name }) => name === chosen) ?? entries?.[0];
  return (
    <>
      {error && <ErrorNote error={error} onAgain={ask} />}
      {entries === null && !error && <p className="secondary">{t`Looking for pipelines…`}</p>}
      {entries?.length === 0 && (
        <p className="secondary">
          <Trans>
            No pipelines yet. Write one as YAML into <code>.arki/pipelines</code> in this folder.
          </Trans>
        </p>
      )}
      {entry && entries && (
        <div {...frame} className={`pipelines-columns ${frame.className}`}>
          <div className="beside-list pipelines-list">
            {entries.length >= worthFiltering && (
              <input
                className="field"
                type="search"
                aria-label={t`Filter pipelines`}
                placeholder={t`Filter`}
                value={words}
                onChange={(event) => setWords(event.target.value)}
              />
            )}
            <List aria-label={t`Pipelines of this folder`} onKeyDown={moveByArrow}>
              {matching(entries, words).map((one) => (
                <Entry
                  key={one.name}
                  entry={one}
                  isChosen={one === entry}
                  onChoose={() => choose(one.name)}
                />
              ))}
            </List>
          </div>
          <Chosen
            key={entry.name}
            folder={folder}
            entry={entry}
            backRef={back}
            onBack={close}
            onStarted={onStarted}
          />
        </div>
      )}
    </>
  );
}

type EntryProps = { entry: PipelineEntry; isChosen: boolean; onChoose: () => void };

function Entry({ entry: { name, description, origin, problem }, isChosen, onChoose }: EntryProps) {
  return (
    <li>
      <button
        type="button"
        className="pipeline-choice"
        aria-current={isChosen ? "true" : undefined}
        onClick={onChoose}
      >
        <span className="pipeline-name">
          {problem !== null && <span className="danger" aria-hidden>{`✕ `}</span>}
          {name}
        </span>
        <span className="small secondary pipeline-description">
          <VisibleText text={problem === null ? description : t`Can't be run`} />
        </span>
        <span className="small secondary cut">
          <VisibleText text={originWords(origin)} />
        </span>
      </button>
    </li>
  );
}

type ChosenProps = {
  folder: string;
  entry: PipelineEntry;
  backRef: Ref<HTMLButtonElement>;
  onBack: () => void;
  onStarted: (run: RunPlace) => void;
};

function Chosen({ folder, entry, backRef, onBack, onStarted }: ChosenProps) {
  return (
    <section className="beside-thing pipeline-chosen" aria-label={entry.name}>
      <Button ref={backRef} small look="quiet" className="beside-back" onClick={onBack}>
        {t`← All pipelines`}
      </Button>
      <h3>{entry.name}</h3>
      {entry.description && (
        <p dir="auto">
          <VisibleText text={entry.description} />
        </p>
      )}
      {entry.problem === null ? (
        <>
          <ol className="pipeline-steps small secondary" aria-label={t`Steps`}>
            {inOrder(entry.steps).map(({ name, adapter, isNext }) => (
              <li key={name} className={isNext ? "next" : undefined}>
                <b>{name}</b> {adapter}
              </li>
            ))}
          </ol>
          <StartForm folder={folder} entry={entry} onStarted={onStarted} />
        </>
      ) : (
        <DefinitionProblem problem={entry.problem} origin={entry.origin} />
      )}
    </section>
  );
}

/** As they run: those that need none of the others side by side. */
function inOrder(steps: PipelineEntry["steps"]) {
  const columns = columnsOf(steps.map(({ name, needs }) => ({ step: name, needs })));
  const column = ({ name }: { name: string }) => columns.get(name) ?? 0;
  const sorted = steps.toSorted((a, b) => column(a) - column(b));
  return sorted.map((step, at) => ({ ...step, isNext: column(step) > column(sorted[at - 1] ?? step) }));
}

function DefinitionProblem({ problem, origin }: { problem: string; origin: string }) {
  const at = problemAt(problem);
  return (
    <div className="error-note" role="note">
      <p>
        <span aria-hidden>✕ </span>
        <code>
          <VisibleText text={originWords(origin)} />
        </code>
        {at && (
          <>
            {" "}
            <b>{t`line ${at.line}, column ${at.column}`}</b>
          </>
        )}
      </p>
      <p>
        <VisibleText text={at?.what ?? problem} />
      </p>
      <p className="secondary">
        <Trans>
          <code>arki pipelines check</code> lists everything that is wrong with a file.
        </Trans>
      </p>
    </div>
  );
}
