/** Pipelines that start by themselves, while Arki runs: when next, and what came of it so far. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useId, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { exactTime, homePath, shortTime } from "../../components/format";
import { List } from "../../components/List";
import { StateGlyph, stateWords } from "../../components/StateGlyph";
import { Switch } from "../../components/Switch";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import type {
  PipelineEntry,
  PipelineRunEntry,
  PipelineSchedule,
  SaveSchedule,
} from "../../protocol/generated";
import { ScheduleForm } from "./ScheduleForm";
import { useAsked } from "./useAsked";
import type { RunPlace } from "./useRun";
import { missedWords } from "./words";

type Props = {
  folder: string | null;
  /** Those that can be run in the folder. */
  pipelines: readonly PipelineEntry[];
  runs: readonly PipelineRunEntry[];
  onRun: (run: RunPlace) => void;
};

/** Of a folder that isn't shown. */
const unknownPipelines: readonly PipelineEntry[] = [];

/** The schedule whose form is open; null for a new one. */
type Editing = { schedule: PipelineSchedule | null };

export function Schedules({ folder, pipelines, runs, onRun }: Props) {
  const { platform } = useArki();
  // A run that a schedule started is the only thing that tells of one.
  const asked = useAsked("list_schedules", {}, runs.map(({ runId, state }) => `${runId} ${state}`).join());
  const { busy, error, attempt } = useActs();
  const [editing, setEditing] = useState<Editing | null>(null);
  const [removed, setRemoved] = useState<PipelineSchedule | null>(null);
  const schedules = asked.answer;
  const failed = error ?? asked.error;
  const act = async (work: () => Promise<unknown>) => {
    const isDone = await attempt(work);
    asked.ask();
    return isDone;
  };
  // What is saved is on.
  const save = (schedule: SaveSchedule, isOn: boolean) =>
    act(async () => {
      await platform.call("save_schedule", { schedule });
      if (!isOn) await platform.call("switch_schedule", { name: schedule.name, on: false });
    });
  const remove = async (schedule: PipelineSchedule) => {
    if (await act(() => platform.call("remove_schedule", { name: schedule.name }))) setRemoved(schedule);
  };
  const putBack = async (schedule: PipelineSchedule) => {
    if (await save(asSaved(schedule), schedule.isOn)) setRemoved(null);
  };
  const inFolder = editing?.schedule?.folder ?? folder;
  return (
    <>
      <div className="run-bar">
        <p className="secondary grow">{t`Schedules start pipelines while Arki runs.`}</p>
        {editing === null && folder !== null && pipelines.length > 0 && (
          <Button small onClick={() => setEditing({ schedule: null })}>
            {t`Add schedule`}
          </Button>
        )}
      </div>
      {failed && <ErrorNote error={failed} />}
      <div role="status">
        {removed && (
          <p className="run-bar">
            <span className="grow">{t`Removed the schedule ${removed.name}.`}</span>
            <Button small disabled={busy} onClick={() => void putBack(removed)}>
              {t`Undo`}
            </Button>
          </p>
        )}
      </div>
      {editing && inFolder !== null && (
        <ScheduleForm
          key={editing.schedule?.name ?? ""}
          folder={inFolder}
          pipelines={inFolder === folder ? pipelines : unknownPipelines}
          known={editing.schedule}
          taken={schedules?.map(({ name }) => name) ?? []}
          onSave={async (schedule) => {
            if (await save(schedule, editing.schedule?.isOn ?? true)) setEditing(null);
          }}
          onCancel={() => setEditing(null)}
        />
      )}
      {schedules?.length === 0 && editing === null && (
        <p className="secondary">
          {t`No schedules yet. With one, a pipeline runs by itself, such as on every weekday at 7:30.`}
        </p>
      )}
      <List aria-label={t`Schedules`}>
        {schedules?.map((schedule) => (
          <Schedule
            key={schedule.name}
            schedule={schedule}
            runs={runs.filter((run) => run.schedule === schedule.name)}
            busy={busy}
            onSwitch={(on) => act(() => platform.call("switch_schedule", { name: schedule.name, on }))}
            onEdit={() => setEditing({ schedule })}
            onRemove={() => void remove(schedule)}
            onRun={onRun}
          />
        ))}
      </List>
    </>
  );
}

/** What is sent to save it as it is. */
function asSaved({ isOn: _on, nextAt: _next, last: _last, ...saved }: PipelineSchedule): SaveSchedule {
  return saved;
}

type ScheduleProps = {
  schedule: PipelineSchedule;
  /** Those that it started, the newest first. */
  runs: readonly PipelineRunEntry[];
  busy: boolean;
  onSwitch: (on: boolean) => Promise<unknown>;
  onEdit: () => void;
  onRemove: () => void;
  onRun: (run: RunPlace) => void;
};

function Schedule({ schedule, runs, busy, onSwitch, onEdit, onRemove, onRun }: ScheduleProps) {
  const heading = useId();
  const { name, pipeline, folder, cron, timeZone, missed, params, isOn, nextAt } = schedule;
  const given = Object.entries(params).map(([param, value]) => `${param}=${value}`);
  return (
    <li className="schedule" aria-labelledby={heading}>
      <div className="run-bar">
        <h3 id={heading} className="grow">
          {name}
        </h3>
        <Switch label={t`Run ${name} on schedule`} checked={isOn} disabled={busy} onChange={onSwitch} />
        <Button small aria-describedby={heading} onClick={onEdit}>
          {t`Edit`}
        </Button>
        <Button small aria-describedby={heading} disabled={busy} onClick={onRemove}>
          {t`Remove`}
        </Button>
      </div>
      <p>
        <Trans>
          <b>{pipeline}</b> in <code title={folder}>{homePath(folder)}</code> at <code>{cron}</code>
        </Trans>
        {timeZone !== null && ` (${timeZone})`}
      </p>
      <p className="small secondary">
        {isOn ? nextWords(nextAt) : t`Off.`} {missedWords(missed)}.
        {given.length > 0 && (
          <code>
            {" "}
            <VisibleText text={given.join(" ")} />
          </code>
        )}
      </p>
      <History schedule={schedule} runs={runs} onRun={onRun} />
    </li>
  );
}

function nextWords(nextAt: number | null): string {
  return nextAt === null ? t`It won't run again.` : t`Next: ${exactTime(nextAt)}.`;
}

const shownRuns = 5;

type HistoryProps = Pick<ScheduleProps, "schedule" | "runs" | "onRun">;

function History({ schedule: { name, last }, runs, onRun }: HistoryProps) {
  if (runs.length === 0 && !last?.skipped) return <p className="small secondary">{t`Hasn't run yet.`}</p>;
  return (
    <List className="small schedule-runs" aria-label={t`Last runs of ${name}`}>
      {last?.skipped && (
        <li>
          <span className="attention">{`! ${exactTime(last.dueAt)}: `}</span>
          {t`No run: ${last.skipped}`}
        </li>
      )}
      {runs.slice(0, shownRuns).map((run) => (
        <li key={run.runId}>
          <StateGlyph state={run.state} />{" "}
          <button type="button" className="link" title={exactTime(run.startedAt)} onClick={() => onRun(run)}>
            {`${shortTime(run.startedAt)}, ${stateWords(run.state)}`}
          </button>
        </li>
      ))}
    </List>
  );
}
