import { t } from "@lingui/core/macro";
import { useId, useState } from "react";
import { EntryForm } from "../../components/form/EntryForm";
import { Fields } from "../../components/form/Fields";
import type { MissedRuns, PipelineEntry, PipelineSchedule, SaveSchedule } from "../../protocol/generated";
import { Grants, ParamRows } from "./ParamRows";
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

type Times = Readonly<Record<"name" | "pipeline" | "cron" | "zone" | "missed", string>>;

const missedChoices: readonly MissedRuns[] = ["skip", "once"];

export function ScheduleForm({ folder, pipelines, known, taken, onSave, onCancel }: Props) {
  const grants = useId();
  const [times, setTimes] = useState<Times>(() => ({
    name: known?.name ?? "",
    pipeline: known?.pipeline ?? pipelines[0]?.name ?? "",
    cron: known?.cron ?? "30 7 * * MON-FRI",
    zone: known?.timeZone ?? "",
    missed: known?.missed ?? "skip",
  }));
  const { name, pipeline, cron, zone, missed } = times;
  const entry = pipelines.find((one) => one.name === pipeline) ?? null;
  const params = entry?.params ?? null;
  const [values, setValues] = useState(() => initialValues(params ?? [], known?.params));
  const isTaken = known === null && taken.includes(name.trim());
  const change = (key: keyof Times, value: string) => {
    setTimes((now) => ({ ...now, [key]: value }));
    if (key === "pipeline")
      setValues(initialValues(pipelines.find((one) => one.name === value)?.params ?? [], values));
  };
  const save = () => {
    if (isTaken) return;
    void onSave({
      name: name.trim(),
      folder,
      pipeline,
      cron: cron.trim(),
      timeZone: zone.trim() || null,
      missed: missed === "once" ? "once" : "skip",
      // A pipeline of another folder is not known here: what it was given stays.
      params: params === null ? (known?.params ?? {}) : toSend(params, values),
    });
  };
  const names = pipelines.map((one) => one.name);
  const zoneHere = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <EntryForm
      label={known ? t`Edit ${known.name}` : t`New schedule`}
      save={t`Save schedule`}
      saveAbout={grants}
      onSave={save}
      onCancel={onCancel}
    >
      <Fields
        fields={[
          known === null && {
            key: "name",
            label: t`Name`,
            kind: "code",
            required: true,
            maxLength: 64,
            pattern: "[A-Za-z0-9_\\-]+",
            title: t`Letters, digits, - and _`,
            about: isTaken && (
              <p className="attention" role="alert">
                {t`! There is a schedule of this name. Choose another name, or edit that one.`}
              </p>
            ),
          },
          {
            key: "pipeline",
            label: t`Pipeline`,
            kind: "choice",
            choices: params === null ? [pipeline, ...names] : names,
          },
          {
            key: "cron",
            label: t`Times`,
            kind: "code",
            required: true,
            about: t`A cron expression: minute, hour, day of month, month, day of week.`,
          },
          { key: "zone", label: t`Time zone`, placeholder: t`This computer's (${zoneHere})` },
          {
            key: "missed",
            label: t`While Arki didn't run`,
            kind: "choice",
            choices: missedChoices.map((choice) => [choice, missedWords(choice)]),
          },
        ]}
        values={times}
        onChange={change}
      />
      {params !== null && <ParamRows params={params} values={values} onChange={setValues} />}
      {entry && <Grants id={grants} entry={entry} />}
    </EntryForm>
  );
}
