import { Tabs } from "@base-ui/react/tabs";
import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { X } from "lucide-react";
import { useId } from "react";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { IconButton } from "../components/IconButton";
import { lazily } from "../components/lazily";
import { Context } from "../features/context/Context";
import { ChangedFiles } from "../features/history/ChangedFiles";
import { ChangedBySubagents } from "../features/history/ChangedSoFar";
import { Plan } from "../features/plan/Plan";
import { Processes } from "../features/processes/Processes";
import { Changes } from "../features/review/Changes";
import { TimelineTab } from "../features/timeline/TimelineTab";
import { useApprovalsIn } from "../platform/context";
import type { Shown } from "../protocol/generated";
import type { History } from "./history";
import type { Tab } from "./window_state";
import "../components/tabs.css";
import "./inspector.css";

const PlanApproval = lazily(() =>
  import("../features/review/PlanApproval").then((part) => part.PlanApproval),
);
const ReplayedFiles = lazily(() =>
  import("../features/replay/ReplayedFiles").then((part) => part.ReplayedFiles),
);

type Props = {
  shown: Shown | null;
  tab: Tab;
  onTab: (tab: Tab) => void;
  focusRequest: number;
  reviewMode: { isOn: boolean; toggle: () => void };
  history: History;
  replaying: boolean;
  /** Only where it floats above the conversation. */
  onClose: (() => void) | null;
};

/** What is to be decided, and what happened. */
export function Inspector(props: Props) {
  const { shown, tab, onTab, focusRequest, reviewMode, history, replaying, onClose } = props;
  const sessionId = shown?.sessionId ?? null;
  const approvals = useApprovalsIn(sessionId);
  const waiting = approvals.length;
  const plan = approvals.find((approval) => approval.kind === "plan" && approval.sessionId === sessionId);
  const count = useId();
  const changes = (sessionId: string) => (
    <Changes key={sessionId} sessionId={sessionId} focusRequest={focusRequest} reviewMode={reviewMode} />
  );
  const others: [Tab, string][] = [
    ["timeline", t`Timeline`],
    ["plan", t`Plan`],
    ["context", t`Context`],
    ["processes", t`Processes`],
  ];
  return (
    <aside className="inspector" aria-label={t`Inspector`}>
      <Tabs.Root value={tab} onValueChange={(next: Tab) => onTab(next)} className="inspector-tabs">
        <div className="inspector-head">
          <Tabs.List className="tabs">
            <Tabs.Tab className="tab" value="changes" aria-label={t`Changes`} aria-describedby={count}>
              <Trans>
                Changes {waiting > 0 && <span key={waiting} className="count" data-count={waiting} />}
              </Trans>
            </Tabs.Tab>
            {others.map(([value, words]) => (
              <Tabs.Tab key={value} className="tab" value={value}>
                {words}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <span className="sr-only" id={count}>
            {plural(waiting, { one: "# pending approval", other: "# pending approvals" })}
          </span>
          {onClose && (
            <IconButton
              label={t`Close inspector`}
              title={t`Close inspector`}
              shortcut="Escape"
              icon={X}
              size={16}
              onClick={onClose}
            />
          )}
        </div>
        <Tabs.Panel className="inspector-panel" value="changes">
          <ErrorBoundary part={t`The changes`} about={sessionId}>
            {/* What is to be decided is never hidden by what was. */}
            {sessionId && replaying && waiting === 0 ? (
              <ReplayedFiles key={sessionId} sessionId={sessionId} />
            ) : shown && sessionId ? (
              <>
                {waiting > 0 && changes(sessionId)}
                <ChangedFiles
                  sessionId={sessionId}
                  onCommit={() => history.setAsking({ about: "commit", sessionId })}
                  onRevert={() =>
                    history.setAsking({ about: "rewind", sessionId, toSeq: 1, undoes: null, filesOnly: true })
                  }
                  onAsk={(words) => history.ask(sessionId, words)}
                  onLines={(path) => history.setAsking({ about: "lines", sessionId, path })}
                  onTakeBack={(path, seq) =>
                    history.setAsking({ about: "take_back", sessionId, seq, path, from: null })
                  }
                  onEditor={(path) => history.open("open_in_editor", { folder: shown.folder, path })}
                  onReveal={(path) => history.open("show_in_folder", { folder: shown.folder, path })}
                />
                <ChangedBySubagents
                  sessionId={sessionId}
                  onLines={(by, path) => history.setAsking({ about: "lines", sessionId: by, path })}
                  onEditor={(path) => history.open("open_in_editor", { folder: shown.folder, path })}
                  onReveal={(path) => history.open("show_in_folder", { folder: shown.folder, path })}
                />
                {waiting === 0 && changes(sessionId)}
              </>
            ) : (
              <p className="empty secondary">{t`Review proposed edits and commands here.`}</p>
            )}
          </ErrorBoundary>
        </Tabs.Panel>
        <Tabs.Panel className="inspector-panel" value="timeline">
          <ErrorBoundary part={t`The timeline`} about={sessionId}>
            {sessionId ? (
              <TimelineTab
                key={sessionId}
                sessionId={sessionId}
                onShow={(seq) => history.show(sessionId, seq)}
                onFork={(seq) => history.fork(sessionId, seq, null)}
              />
            ) : (
              <p className="empty secondary">{t`Every step of a session is listed here.`}</p>
            )}
          </ErrorBoundary>
        </Tabs.Panel>
        <Tabs.Panel className="inspector-panel" value="plan">
          <ErrorBoundary part={t`The plan`} about={sessionId}>
            {sessionId ? (
              plan ? (
                <div className="changes waiting-plan">
                  <PlanApproval key={plan.approvalId} approval={plan} />
                </div>
              ) : (
                <Plan key={sessionId} sessionId={sessionId} />
              )
            ) : (
              <p className="empty secondary">{t`For larger tasks, Arki lists its steps here.`}</p>
            )}
          </ErrorBoundary>
        </Tabs.Panel>
        <Tabs.Panel className="inspector-panel" value="context">
          <ErrorBoundary part={t`The context`} about={sessionId}>
            {shown ? (
              <Context
                key={`${shown.folder} ${sessionId}`}
                of={shown}
                onShow={(seq) => sessionId !== null && history.show(sessionId, seq)}
                onBack={(seq) =>
                  sessionId !== null &&
                  history.setAsking({ about: "rewind", sessionId, toSeq: seq - 1, undoes: null })
                }
                onCompact={
                  sessionId === null ? null : () => history.setAsking({ about: "compact", sessionId })
                }
              />
            ) : (
              <p className="empty secondary">{t`Everything the model is sent is listed here.`}</p>
            )}
          </ErrorBoundary>
        </Tabs.Panel>
        <Tabs.Panel className="inspector-panel" value="processes">
          <ErrorBoundary part={t`The list of processes`} about={sessionId}>
            <Processes />
          </ErrorBoundary>
        </Tabs.Panel>
      </Tabs.Root>
    </aside>
  );
}
