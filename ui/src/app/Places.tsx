/** The views that have the main area to themselves, with the way back. */
import { t } from "@lingui/core/macro";
import { MoveLeft } from "lucide-react";
import type { ReactNode } from "react";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { IconButton } from "../components/IconButton";
import { lazily } from "../components/lazily";
import { Once } from "../components/Once";
import { focusElicitation } from "../features/conversation/elicitation_focus";
import type { Waiting } from "../features/inbox/waiting";
import { SidebarButton } from "./MainPane";
import { HistorySaid } from "./parts";
import type { Place } from "./trail";
import { leadTo } from "./use_commands";
import type { Window } from "./use_window";

const InboxPlace = lazily(() => import("../features/inbox/InboxPlace").then((part) => part.InboxPlace));
const MemoryPlace = lazily(() => import("../features/memory/MemoryPlace").then((part) => part.MemoryPlace));
const PipelinesPlace = lazily(() =>
  import("../features/pipelines/PipelinesPlace").then((part) => part.PipelinesPlace),
);
const UsagePlace = lazily(() => import("../features/usage/UsagePlace").then((part) => part.UsagePlace));
const Thing = lazily(() => import("./Waiting").then((part) => part.Thing));
const Gate = lazily(() => import("./Waiting").then((part) => part.Gate));

const titleOf = (place: Place): string =>
  ({ inbox: t`Inbox`, memory: t`Memory`, pipelines: t`Pipelines`, usage: t`Usage` })[place];

export function Places({ window }: { window: Window }) {
  const { place, shown, go } = window;
  const folder = shown?.folder ?? null;
  const kept = (of: Place, children: ReactNode) => (
    <ErrorBoundary part={titleOf(of)}>
      <Once when={place === of}>{children}</Once>
    </ErrorBoundary>
  );
  return (
    <div className="places" hidden={place === null}>
      {place !== null && <Head title={titleOf(place)} window={window} />}
      {place !== null && <HistorySaid history={window.history} />}
      {kept(
        "inbox",
        <InboxPlace
          open={place === "inbox"}
          onGo={(to) => lead(window, to)}
          thing={(of, focusRequest) => <Thing of={of} focusRequest={focusRequest} window={window} />}
        />,
      )}
      {kept(
        "memory",
        <MemoryPlace
          folder={folder}
          open={place === "memory"}
          onSession={go}
          onSettings={() => window.setDialog("reflection")}
        />,
      )}
      {kept(
        "pipelines",
        <PipelinesPlace
          folder={folder}
          open={place === "pipelines"}
          onSession={go}
          gate={(approval) => <Gate approval={approval} window={window} />}
        />,
      )}
      {kept("usage", <UsagePlace open={place === "usage"} />)}
    </div>
  );
}

function lead(window: Window, { sessionId, kind, project }: Waiting) {
  if (sessionId !== null) return leadTo(window, sessionId, kind);
  window.leavePlace();
  if (window.shown?.folder !== project) window.folder.open(project);
  focusElicitation();
}

function Head({ title, window: { panes, back } }: { title: string; window: Window }) {
  return (
    <header className="main-head">
      <SidebarButton panes={panes} />
      <IconButton
        label={t`Back`}
        command="back"
        icon={MoveLeft}
        size={16}
        disabled={back === null}
        onClick={() => back?.()}
      />
      <h2 className="cut grow">{title}</h2>
    </header>
  );
}
