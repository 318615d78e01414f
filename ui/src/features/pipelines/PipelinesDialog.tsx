/** Pipelines: what can be run in the folder, the runs so far with the one that is looked at, and schedules. */
import { Tabs } from "@base-ui/react/tabs";
import { t } from "@lingui/core/macro";
import { type ReactNode, useState } from "react";
import { Dialog } from "../../components/Dialog";
import { TabList } from "../../components/TabList";
import type { PendingApproval } from "../../protocol/approvals";
import { Definitions } from "./Definitions";
import { Runs } from "./Runs";
import { RunView } from "./RunView";
import { Schedules } from "./Schedules";
import { useAsked } from "./useAsked";
import type { RunPlace } from "./useRun";
import { useRuns } from "./useRuns";
import "./pipelines.css";

type Props = {
  /** The one that is shown; null where none is. */
  folder: string | null;
  open: boolean;
  onClose: () => void;
  onSession: (sessionId: string) => void;
  /** The card on which a gate is decided. */
  gate: (approval: PendingApproval) => ReactNode;
};

export function PipelinesDialog({ open, onClose, ...props }: Props) {
  // A run that was looked at is there when the dialog opens again.
  const [run, setRun] = useState<RunPlace | null>(null);
  return (
    <Dialog title={t`Pipelines`} open={open} onClose={onClose} wide="most">
      <Content {...props} run={run} setRun={setRun} />
    </Dialog>
  );
}

type Tab = "pipelines" | "runs" | "schedules";

type ContentProps = Omit<Props, "open" | "onClose"> & {
  run: RunPlace | null;
  setRun: (run: RunPlace | null) => void;
};

function Content({ folder, onSession, gate, run, setRun }: ContentProps) {
  const [tab, setTab] = useState<Tab>(run === null ? "pipelines" : "runs");
  const [seen, setSeen] = useState<string | null>(null);
  const runs = useRuns();
  const pipelines = useAsked("list_pipelines", folder === null ? null : { folder }, folder ?? "");
  const show = (next: RunPlace | null) => {
    if (next === null) setSeen(run?.runId ?? null);
    setRun(next && { runId: next.runId, sessionId: next.sessionId });
    setTab("runs");
  };
  return (
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
  );
}
