/** Pipelines: what can be run in the folder, the runs so far with the one that is looked at, and schedules. */
import { Tabs } from "@base-ui/react/tabs";
import { t } from "@lingui/core/macro";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useLatest } from "../../components/latest";
import { Place } from "../../components/Place";
import { TabList } from "../../components/TabList";
import type { PendingApproval } from "../../protocol/approvals";
import { Definitions } from "./Definitions";
import { Runs } from "./Runs";
import { RunView } from "./RunView";
import { Schedules } from "./Schedules";
import { useAsked } from "./useAsked";
import { type RunPlace, useRuns } from "./useRun";
import "./pipelines.css";

type Props = {
  /** The one that is shown; null where none is. */
  folder: string | null;
  open: boolean;
  onSession: (sessionId: string) => void;
  /** The card on which a gate is decided, with what it is about. */
  gate: (approval: PendingApproval) => ReactNode;
};

type Tab = "pipelines" | "runs" | "schedules";

export function PipelinesPlace({ folder, open, onSession, gate }: Props) {
  const [run, setRun] = useState<RunPlace | null>(null);
  const [tab, setTab] = useState<Tab>("pipelines");
  const [seen, setSeen] = useState<string | null>(null);
  const runs = useRuns();
  const pipelines = useAsked("list_pipelines", folder === null ? null : { folder }, folder ?? "");
  useOnReturn(open, () => {
    runs.ask();
    pipelines.ask();
  });
  const show = (next: RunPlace | null) => {
    if (next === null) setSeen(run?.runId ?? null);
    setRun(next && { runId: next.runId, sessionId: next.sessionId });
    setTab("runs");
  };
  return (
    <Place title={t`Pipelines`} open={open} look="most">
      <Tabs.Root value={tab} onValueChange={(next: Tab) => setTab(next)}>
        <TabList
          tabs={[
            ["pipelines", t`Start`],
            ["runs", t`Runs`],
            ["schedules", t`Schedules`],
          ]}
        />
        <Tabs.Panel className="pipelines-panel" value="pipelines">
          <Definitions folder={folder} pipelines={pipelines} onStarted={show} />
        </Tabs.Panel>
        <Tabs.Panel className="pipelines-panel" value="runs">
          {run === null ? (
            <Runs folder={folder} runs={runs} seen={seen} onRun={show} />
          ) : (
            <RunView
              key={run.runId}
              place={run}
              gate={gate}
              onBack={() => show(null)}
              onRun={show}
              onSession={onSession}
            />
          )}
        </Tabs.Panel>
        <Tabs.Panel className="pipelines-panel" value="schedules">
          <Schedules
            folder={folder}
            pipelines={pipelines.answer?.filter(({ problem }) => problem === null) ?? []}
            runs={runs.answer ?? []}
            onRun={show}
          />
        </Tabs.Panel>
      </Tabs.Root>
    </Place>
  );
}

/** What may have changed on the disk meanwhile is asked for again. */
function useOnReturn(open: boolean, ask: () => void) {
  const was = useRef(open);
  const latest = useLatest(ask);
  useEffect(() => {
    if (open && !was.current) latest.current();
    was.current = open;
  }, [open, latest]);
}
