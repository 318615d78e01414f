/** What all sessions have used: cost and tokens by day, by model and by project. */
import { plural, t } from "@lingui/core/macro";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { exact } from "../../components/format";
import { Place } from "../../components/Place";
import { Segments } from "../../components/Segments";
import { useArki, useCatalogue } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, UsageEntry, UsageReport } from "../../protocol/generated";
import {
  allTokens,
  columns,
  entriesIn,
  groupsBy,
  isUnknown,
  type Measure,
  type Range,
  type Totals,
  total,
  withoutCost,
} from "./report";
import { Columns, UsageTable } from "./UsageTable";
import { costFigure, dayWords, modelWords, projectPlace, projectWords, tokenFigure } from "./words";
import "./usage.css";

export function UsagePlace({ open }: { open: boolean }) {
  const { report, error, load } = useReport(open);
  return (
    <Place title={t`Usage`} open={open} look="column">
      {error && (
        <>
          <ErrorNote error={error} />
          <Button onClick={load}>{t`Try again`}</Button>
        </>
      )}
      {report === null && !error && <p className="secondary usage-lead">{t`Adding up all sessions…`}</p>}
      {report?.entries.length === 0 && (
        <p className="secondary usage-lead">{t`Nothing used yet. Cost and tokens of every request are added up here.`}</p>
      )}
      {report !== null && report.entries.length > 0 && <Report report={report} />}
    </Place>
  );
}

function Report({ report }: { report: UsageReport }) {
  const [range, setRange] = useState<Range>("30");
  const [chosen, setChosen] = useState<Measure | null>(null);
  const entries = useMemo(() => entriesIn(report, range), [report, range]);
  const totals = useMemo(() => total(entries), [entries]);
  // A plot of costs that nobody knows would be empty.
  const measure = chosen ?? (isUnknown(totals.cost) ? "tokens" : "cost");
  const days = useMemo(() => columns(report, range), [report, range]);
  const used = days.filter((day) => day.totals.requests > 0).reverse();
  const isMonths = days[0]?.key.length === "2026-11".length;
  const ranges: { value: Range; words: string }[] = [
    { value: "7", words: t`7 days` },
    { value: "30", words: t`30 days` },
    { value: "90", words: t`90 days` },
    { value: "all", words: t`All` },
  ];
  const measures: { value: Measure; words: string }[] = [
    { value: "cost", words: t`Cost` },
    { value: "tokens", words: t`Tokens` },
  ];
  return (
    <>
      <div className="usage-bar">
        <Segments label={t`Time range`} value={range} choices={ranges} onChoose={setRange} />
        <Segments label={t`Shown in the plots`} value={measure} choices={measures} onChoose={setChosen} />
      </div>
      <Summary totals={totals} />
      <UnknownCosts entries={entries} />
      {entries.length === 0 ? (
        <p className="secondary">{t`Nothing was used in this time.`}</p>
      ) : (
        <>
          <UsageTable
            title={isMonths ? t`By month` : t`By day`}
            first={isMonths ? t`Month` : t`Day`}
            groups={used}
            measure={measure}
            words={(key) => dayWords(key, true)}
            plot={<Columns days={days} measure={measure} />}
          />
          <UsageTable
            title={t`By model`}
            first={t`Model`}
            groups={groupsBy(entries, "model")}
            measure={measure}
            words={modelWords}
          />
          <UsageTable
            title={t`By project`}
            first={t`Project`}
            groups={groupsBy(entries, "project")}
            measure={measure}
            words={projectWords}
            place={projectPlace}
          />
        </>
      )}
    </>
  );
}

function Summary({ totals }: { totals: Totals }) {
  const [cost, tokens] = [costFigure(totals.cost), tokenFigure(allTokens(totals))];
  const requests = exact(totals.requests);
  return (
    <dl className="usage-summary">
      {!isUnknown(totals.cost) && (
        <div>
          <dt className="secondary small">{t`Cost`}</dt>
          <dd title={cost.exact}>{cost.words}</dd>
        </div>
      )}
      <div>
        <dt className="secondary small">{t`Tokens`}</dt>
        <dd title={tokens.exact}>{tokens.words}</dd>
      </div>
      <div>
        <dt className="secondary small">{plural(totals.requests, { one: "Request", other: "Requests" })}</dt>
        <dd>{requests}</dd>
      </div>
    </dl>
  );
}

/** What the sums leave out, and why. */
function UnknownCosts({ entries }: { entries: readonly UsageEntry[] }) {
  const catalogue = useCatalogue().models;
  const { models, others } = useMemo(() => withoutCost(entries), [entries]);
  const priced = new Set(catalogue.filter(({ price }) => price !== null).map(({ id }) => id));
  const unpriced = models.filter((model) => !priced.has(model)).map(modelWords);
  return (
    <>
      {unpriced.length > 0 && (
        <p className="secondary small usage-note">
          {t`Not in the sums, because no price is known: ${unpriced.join(", ")}.`}
        </p>
      )}
      {(others || unpriced.length < models.length) && (
        <p className="secondary small usage-note">
          {t`The cost of some requests is unknown. It isn't in the sums.`}
        </p>
      )}
    </>
  );
}

/** Null until it has come; asked for anew each time the view opens. */
function useReport(open: boolean) {
  const { platform } = useArki();
  const [report, setReport] = useState<UsageReport | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  const load = useCallback(async () => {
    setError(null);
    try {
      setReport(await platform.call("usage_report", {}));
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  }, [platform]);
  useEffect(() => {
    if (open) void load();
  }, [open, load]);
  return { report, error, load };
}
