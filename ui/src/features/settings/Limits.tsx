/** The limits of runs and commands and how long data is kept, each in words and with where it comes from. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { ErrorNote } from "../../components/ErrorNote";
import { cost, exact } from "../../components/format";
import { List } from "../../components/List";
import { measured, measureOf } from "../../components/measure";
import type { SettingEntry } from "../../protocol/generated";
import { SettingRow } from "./SettingRow";
import { Storage } from "./Storage";
import { type Change, useSettings } from "./use_settings";

type Counted = "requests" | "dollars" | "processes" | "days";

type Row = {
  key: string;
  name: MessageDescriptor;
  means: MessageDescriptor;
  /** What holds where nothing is set: a figure of the engine's, or in words. */
  otherwise?: number | MessageDescriptor;
  /** None for a time or a size, whose key says it. */
  unit?: Counted;
};

const units: Readonly<Record<Counted, MessageDescriptor>> = {
  requests: msg`requests`,
  dollars: msg`US dollars`,
  processes: msg`processes`,
  days: msg`days`,
};

const ofRuns: readonly Row[] = [
  {
    key: "limits.maxTurns",
    name: msg`Model requests per run`,
    means: msg`The run pauses after this many requests to the model.`,
    otherwise: 50,
    unit: "requests",
  },
  {
    key: "limits.maxSeconds",
    name: msg`Time per run`,
    means: msg`The run pauses after working this long. Time spent waiting for you doesn't count.`,
    otherwise: msg`no limit`,
  },
  {
    key: "limits.maxCostUsd",
    name: msg`Cost per run`,
    means: msg`The run pauses once it has cost this much.`,
    otherwise: msg`no limit`,
    unit: "dollars",
  },
  {
    key: "limits.maxAnswerSeconds",
    name: msg`Time per answer`,
    means: msg`An answer that takes longer is stopped. What has arrived of it is kept.`,
    otherwise: 1800,
  },
  {
    key: "limits.approvalTimeoutSeconds",
    name: msg`Time to decide`,
    means: msg`Without your decision by then, an approval counts as rejected.`,
    otherwise: msg`no limit`,
  },
];

const ofCommands: readonly Row[] = [
  {
    key: "limits.toolTimeoutSeconds",
    name: msg`Time per tool call`,
    means: msg`Commands and other tool calls that take longer are stopped.`,
    otherwise: 120,
  },
  {
    key: "limits.maxToolOutputBytes",
    name: msg`Tool output for the model`,
    means: msg`Longer tool results are truncated.`,
    otherwise: 65_536,
  },
  {
    key: "limits.maxCommandMemoryMegabytes",
    name: msg`Memory per command`,
    means: msg`A command that uses more, with every process it started, is stopped.`,
    otherwise: msg`75 % of the machine's memory`,
  },
  {
    key: "limits.maxCommandProcesses",
    name: msg`Processes per command`,
    means: msg`A command that runs more at the same time is stopped.`,
    otherwise: 1000,
    unit: "processes",
  },
  {
    key: "limits.maxCommandOutputMegabytes",
    name: msg`Output per command`,
    means: msg`A command that prints more is stopped.`,
    otherwise: 1024,
  },
  {
    key: "limits.maxEffectsMegabytes",
    name: msg`Changes per command`,
    means: msg`If a command changes more, none of its changes are kept.`,
    otherwise: 256,
  },
];

const ofData: readonly Row[] = [
  {
    key: "retention.deleteSessionsAfterDays",
    name: msg`Sessions`,
    means: msg`Sessions you haven't used for this long are deleted for good.`,
    otherwise: msg`kept until you delete them`,
    unit: "days",
  },
  {
    key: "retention.maxImageMegabytes",
    name: msg`Saved file versions`,
    means: msg`Files as they were before and after each change, so that you can undo it. The oldest are deleted first.`,
    otherwise: msg`up to 2 GiB`,
  },
];

/** `folder`: the one whose configuration counts too; null where none is open. */
export function Limits({ folder }: { folder: string | null }) {
  const { entries, error, change } = useSettings(folder);
  const part = (id: string, title: string, rows: readonly Row[]) => (
    <section className="settings-section" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <List className="all-settings limits">
        {rows.map((row) => {
          const entry = entries?.find(({ key }) => key === row.key);
          return (
            entry && (
              <li key={row.key}>
                <Limit row={row} entry={entry} folder={folder} onChange={change} />
              </li>
            )
          );
        })}
      </List>
    </section>
  );
  return (
    <>
      {error && <ErrorNote error={error} />}
      {part("limits-runs", t`Limits for runs`, ofRuns)}
      {part("limits-commands", t`Limits for commands`, ofCommands)}
      {part("limits-data", t`Storage limits`, ofData)}
      <Storage />
    </>
  );
}

type LimitProps = { row: Row; entry: SettingEntry; folder: string | null; onChange: Change };

function Limit({ row, entry, folder, onChange }: LimitProps) {
  const name = i18n._(row.name);
  const now = inWords(entry.value, row);
  return (
    <SettingRow
      entry={entry}
      folder={folder}
      label={name}
      unit={row.unit && i18n._(units[row.unit])}
      onChange={onChange}
      title={
        <>
          <span title={entry.key}>{name}</span>
          <p className="small secondary">
            {i18n._(row.means)} {now !== null && <span>{t`Now: ${now}.`}</span>}
          </p>
        </>
      }
    />
  );
}

/** What holds, where the field doesn't say it as people do. */
function inWords(value: unknown, { key, unit, otherwise }: Row): string | null {
  if (typeof value === "number") return unit === "dollars" ? cost(value) : null;
  if (value !== null || otherwise === undefined) return null;
  if (typeof otherwise !== "number") return i18n._(otherwise);
  const measure = measureOf(key);
  if (measure) return measured(otherwise, measure);
  return unit && unit !== "dollars" ? `${exact(otherwise)} ${i18n._(units[unit])}` : cost(otherwise);
}
