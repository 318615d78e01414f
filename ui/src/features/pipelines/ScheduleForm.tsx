import { t } from "@lingui/core/macro";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "../../components/Button";
import type { MissedRuns, PipelineEntry, PipelineSchedule, SaveSchedule } from "../../protocol/generated";
import { Grants } from "./Grants";
import { ParamRows } from "./ParamRows";
import { initialValues, toSend } from "./values";
import { missedWords } from "./words";

type Props = {
  folder: string;
  pipelines: readonly PipelineEntry[];
  /** The one that is changed; null for a new one. */
  known: PipelineSchedule | null;
  /** Names that a new one can't have. */
  taken: readonly string[];
  onSave: (schedule: SaveSchedule) => Promise<void>;
  onCancel: () => void;
};

const missedChoices: readonly MissedRuns[] = ["skip", "once"];

export function ScheduleForm({ folder, pipelines, known, taken, onSave, onCancel }: Props) {
  const heading = useId();
  const [nameId, pipelineId, cronId, cronAbout, zoneId, missedId, grantsId] = [
    useId(),
    useId(),
    useId(),
    useId(),
    useId(),
    useId(),
    useId(),
  ];
  const [name, setName] = useState(known?.name ?? "");
  const [pipeline, setPipeline] = useState(known?.pipeline ?? pipelines[0]?.name ?? "");
  const [cron, setCron] = useState(known?.cron ?? "30 7 * * MON-FRI");
  const [zone, setZone] = useState(known?.timeZone ?? "");
  const [missed, setMissed] = useState<MissedRuns>(known?.missed ?? "skip");
  const entry = pipelines.find((one) => one.name === pipeline) ?? null;
  const params = entry?.params ?? null;
  const [values, setValues] = useState(() => initialValues(params ?? [], known?.params));
  const first = useRef<HTMLInputElement & HTMLSelectElement>(null);
  useEffect(() => first.current?.focus(), []);
  const isTaken = known === null && taken.includes(name.trim());
  const choose = (next: string) => {
    setPipeline(next);
    setValues(initialValues(pipelines.find((one) => one.name === next)?.params ?? [], values));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isTaken) return;
    void onSave({
      name: name.trim(),
      folder,
      pipeline,
      cron: cron.trim(),
      timeZone: zone.trim() || null,
      missed,
      // A pipeline of another folder is not known here: what it was given stays.
      params: params === null ? (known?.params ?? {}) : toSend(params, values),
    });
  };
  return (
    <form className="pipeline-form" aria-labelledby={heading} onSubmit={submit}>
      <h3 id={heading}>{known ? t`Edit ${known.name}` : t`New schedule`}</h3>
      {known === null && (
        <div className="pipeline-row">
          <label htmlFor={nameId}>{t`Name`}</label>
          <input
            ref={first}
            id={nameId}
            className="field"
            required
            maxLength={64}
            pattern="[A-Za-z0-9_\-]+"
            title={t`Letters, digits, - and _`}
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          {isTaken && (
            <p className="small attention pipeline-about" role="alert">
              {t`! There is a schedule of this name. Choose another name, or edit that one.`}
            </p>
          )}
        </div>
      )}
      <div className="pipeline-row">
        <label htmlFor={pipelineId}>{t`Pipeline`}</label>
        <select
          ref={known === null ? undefined : first}
          id={pipelineId}
          className="field"
          value={pipeline}
          onChange={(event) => choose(event.target.value)}
        >
          {params === null && <option value={pipeline}>{pipeline}</option>}
          {pipelines.map((one) => (
            <option key={one.name} value={one.name}>
              {one.name}
            </option>
          ))}
        </select>
      </div>
      <div className="pipeline-row">
        <label htmlFor={cronId}>{t`Times`}</label>
        <input
          id={cronId}
          className="field mono"
          required
          spellCheck={false}
          aria-describedby={cronAbout}
          value={cron}
          onChange={(event) => setCron(event.target.value)}
        />
        <p className="small secondary pipeline-about" id={cronAbout}>
          {t`A cron expression: minute, hour, day of month, month, day of week.`}
        </p>
      </div>
      <div className="pipeline-row">
        <label htmlFor={zoneId}>{t`Time zone`}</label>
        <input
          id={zoneId}
          className="field"
          spellCheck={false}
          placeholder={t`This computer's (${Intl.DateTimeFormat().resolvedOptions().timeZone})`}
          value={zone}
          onChange={(event) => setZone(event.target.value)}
        />
      </div>
      <div className="pipeline-row">
        <label htmlFor={missedId}>{t`While Arki didn't run`}</label>
        <select
          id={missedId}
          className="field"
          value={missed}
          onChange={(event) => setMissed(event.target.value === "once" ? "once" : "skip")}
        >
          {missedChoices.map((choice) => (
            <option key={choice} value={choice}>
              {missedWords(choice)}
            </option>
          ))}
        </select>
      </div>
      {params !== null && <ParamRows params={params} values={values} onChange={setValues} />}
      {entry && <Grants id={grantsId} entry={entry} />}
      <div className="pipeline-buttons">
        <Button type="submit" look="primary" aria-describedby={grantsId}>
          {t`Save schedule`}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  );
}
