/** One run of a pipeline: what it has come to, what it waits for, its steps, and the step that is looked at. */
import { plural, t } from "@lingui/core/macro";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { useNow } from "../../components/countdown";
import { ErrorNote } from "../../components/ErrorNote";
import { duration, exactTime } from "../../components/format";
import { StateGlyph, stateWords } from "../../components/StateGlyph";
import { useActs } from "../../components/useActs";
import { useApprovalsIn, useArki } from "../../platform/context";
import type { PendingApproval } from "../../protocol/approvals";
import type {
  CommandError,
  PipelineDefinition,
  PipelineRunDetails,
  PipelineStepEntry,
  PipelineStepState,
  SessionState,
} from "../../protocol/generated";
import { isUnfinished } from "../../protocol/sessions";
import { StepGraph } from "./StepGraph";
import { StepPanel } from "./StepPanel";
import { beganAt } from "./step_log";
import { type RunPlace, useRun, works } from "./useRun";
import { originWords, sizeWords } from "./words";

export type RunProps = {
  place: RunPlace;
  /** The card on which a gate is decided. */
  gate: (approval: PendingApproval) => ReactNode;
  onBack: () => void;
  onRun: (run: RunPlace) => void;
  onSession: (sessionId: string) => void;
};

export function RunView(props: RunProps) {
  const { place, onBack } = props;
  const { answer: details, error, ask, events, hasOlder } = useRun(place);
  const back = useRef<HTMLButtonElement>(null);
  // What had the focus before is gone.
  useEffect(() => back.current?.focus(), []);
  return (
    <div className="run">
      <div className="run-bar">
        <Button ref={back} small look="quiet" onClick={onBack}>
          {t`← All runs`}
        </Button>
        {details && <RunHead details={details} />}
      </div>
      {error && <ErrorNote error={error} onAgain={ask} />}
      {details === null && !error && <p className="secondary">{t`Reading the run…`}</p>}
      {details && <Run {...props} details={details} events={events} hasOlder={hasOlder} onActed={ask} />}
    </div>
  );
}

function RunHead({ details: { run, steps, origin } }: { details: PipelineRunDetails }) {
  const now = useNow(works(steps));
  const finished = steps.filter(({ state }) => state === "completed" || state === "skipped").length;
  const ms = (run.endedAt ?? now ?? run.startedAt) - run.startedAt;
  const facts = [
    plural(steps.length, { one: `${finished} of # step`, other: `${finished} of # steps` }),
    (run.endedAt !== null || now !== null) && duration(ms),
    run.schedule !== null && t`schedule ${run.schedule}`,
    originWords(origin),
  ];
  return (
    <>
      <h3 className="cut">{run.name}</h3>
      <p className="small secondary grow" title={exactTime(run.startedAt)}>
        <StateGlyph state={run.state} /> <span role="status">{stateWords(run.state)}</span>
        <VisibleText text={` · ${facts.filter(Boolean).join(" · ")}`} />
      </p>
      <progress
        className="run-progress"
        aria-label={t`Steps done`}
        value={finished}
        max={Math.max(1, steps.length)}
      />
    </>
  );
}

/** States from which a run can go on. */
const resumable: readonly SessionState[] = ["paused", "interrupted", "failed"];
/** States in which it has ended, so that another can take over what it did. */
const over: readonly SessionState[] = ["done", "failed", "cancelled"];

type InnerProps = RunProps & {
  details: PipelineRunDetails;
  events: ReturnType<typeof useRun>["events"];
  hasOlder: boolean;
  onActed: () => void;
};

function Run({ place, details, events, hasOlder, onActed, gate, onRun, onSession }: InnerProps) {
  const { platform } = useArki();
  const { busy, error, attempt, hush } = useActs();
  const [chosen, setChosen] = useState<string | null>(null);
  /** The step from which it was last to run again; null where it was to go on. */
  const [againFrom, setAgainFrom] = useState<string | null>(null);
  const { run, steps, failure } = details;
  const now = useNow(works(steps));
  const step = steps.find((one) => one.step === chosen) ?? stepToShow(steps);
  const workingMs = ({ step, state }: PipelineStepEntry) => {
    const began = state === "running" ? beganAt(events, place.runId, step) : null;
    return began === null || now === null ? null : Math.max(0, now - began);
  };
  const resume = (definition: PipelineDefinition | null) =>
    void attempt(() => platform.call("resume_pipeline", { runId: place.runId, definition })).then(onActed);
  const stop = () =>
    void attempt(() => platform.call("stop_run", { sessionId: place.sessionId })).then(onActed);
  const retry = (from: string, definition: PipelineDefinition | null) =>
    void attempt(async () => {
      const sent = await platform.call("retry_pipeline", { runId: place.runId, step: from, definition });
      if (sent.runId !== null) onRun({ runId: sent.runId, sessionId: sent.sessionId });
    });
  const act = (from: string | null, definition: PipelineDefinition | null) => {
    setAgainFrom(from);
    if (from === null) resume(definition);
    else retry(from, definition);
  };
  return (
    <>
      <div className="pipeline-buttons">
        {isUnfinished(run.state) && (
          <Button small disabled={busy} onClick={stop}>
            {t`Stop`}
          </Button>
        )}
        {resumable.includes(run.state) && (
          <Button
            small
            look={error?.code === "PIPELINE_CHANGED" ? "plain" : "primary"}
            disabled={busy}
            onClick={() => act(null, null)}
          >
            {t`Resume`}
          </Button>
        )}
        <Button small look="quiet" onClick={() => onSession(place.sessionId)}>
          {t`Open its session`}
        </Button>
      </div>
      {error?.code === "PIPELINE_CHANGED" ? (
        <Changed
          error={error}
          busy={busy}
          onResume={(definition) => act(againFrom, definition)}
          onCancel={hush}
        />
      ) : (
        error && <ErrorNote error={error} />
      )}
      {failure && run.state === "failed" && <ErrorNote error={failure} />}
      <Waiting sessionId={place.sessionId} gate={gate} onSession={onSession} />
      {step && (
        <>
          <StepGraph steps={steps} selected={step.step} workingMs={workingMs} onSelect={setChosen} />
          <StepPanel
            runId={place.runId}
            step={step}
            workingMs={workingMs(step)}
            events={events}
            hasOlder={hasOlder}
            onSession={onSession}
          >
            {over.includes(run.state) && step.state !== "pending" && (
              <Button
                small
                title={t`Starts a new run that takes over what the steps before it said`}
                disabled={busy}
                onClick={() => act(step.step, null)}
              >
                {t`Run again from here`}
              </Button>
            )}
          </StepPanel>
        </>
      )}
      <Given details={details} />
    </>
  );
}

const tellsMost: readonly PipelineStepState[] = ["failed", "waiting", "interrupted", "retrying", "running"];

/** The one that says most about how the run is doing; the last one, whose output is the run's, when all is well. */
function stepToShow(steps: readonly PipelineStepEntry[]): PipelineStepEntry | undefined {
  const found = tellsMost.map((state) => steps.find((step) => step.state === state)).find(Boolean);
  return found ?? (steps.every(({ state }) => state === "pending") ? steps[0] : steps.at(-1));
}

type WaitingProps = Pick<RunProps, "gate" | "onSession"> & { sessionId: string };

/** Gates are decided here; calls of an agent that works for a step where their differences are shown. */
function Waiting({ sessionId, gate, onSession }: WaitingProps) {
  const approvals = useApprovalsIn(sessionId);
  const gates = approvals.filter(({ kind }) => kind === "gate");
  const others = approvals.length - gates.length;
  return (
    <>
      {gates.map((approval) => (
        <div key={approval.approvalId}>{gate(approval)}</div>
      ))}
      {others > 0 && (
        <div className="run-bar">
          <p className="attention grow">
            {t`! ${plural(others, { one: "# call waits", other: "# calls wait" })} for your decision.`}
          </p>
          <Button small look="primary" onClick={() => onSession(sessionId)}>
            {t`Go to the decision`}
          </Button>
        </div>
      )}
    </>
  );
}

type ChangedProps = {
  error: CommandError;
  busy: boolean;
  onResume: (definition: PipelineDefinition) => void;
  onCancel: () => void;
};

/** The definition's file is another one than the run started with: the user says which one holds. */
function Changed({ error, busy, onResume, onCancel }: ChangedProps) {
  const heading = useId();
  const [what = "", ...diff] = error.message.split("\n");
  return (
    <div className="run-changed" role="alert" aria-labelledby={heading}>
      <p id={heading}>
        <VisibleText text={what} />
      </p>
      {diff.length > 0 && (
        <pre className="output" tabIndex={0} role="group" aria-labelledby={heading}>
          <VisibleText text={diff.join("\n")} />
        </pre>
      )}
      <p className="small secondary">{t`Steps that are done stay done.`}</p>
      <div className="pipeline-buttons">
        <Button small look="primary" disabled={busy} onClick={() => onResume("original")}>
          {t`Resume as it started`}
        </Button>
        <Button small disabled={busy} onClick={() => onResume("current")}>
          {t`Resume with the changed file`}
        </Button>
        <Button small look="quiet" onClick={onCancel}>
          {t`Cancel`}
        </Button>
      </div>
    </div>
  );
}

function Given({ details: { params, inputBytes } }: { details: PipelineRunDetails }) {
  const heading = useId();
  return (
    <section className="run-given" aria-labelledby={heading}>
      <h3 id={heading}>{t`Started with`}</h3>
      <dl className="small">
        <dt>{t`Input`}</dt>
        <dd>{inputBytes === 0 ? t`nothing given` : sizeWords(inputBytes)}</dd>
        {Object.entries(params).map(([name, value]) => (
          <div key={name} className="run-param">
            <dt className="mono">{name}</dt>
            <dd className="mono" dir="auto">
              <VisibleText text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
