/** What the window does not need to show its first content. */
import { t } from "@lingui/core/macro";
import { lazily } from "../components/lazily";

export const Inspector = lazily(
  () => import("./Inspector").then((part) => part.Inspector),
  () => <aside className="inspector" aria-label={t`Inspector`} aria-busy />,
);
export const InspectorRail = lazily(
  () => import("./InspectorRail").then((part) => part.InspectorRail),
  () => <aside className="inspector-rail" aria-label={t`Inspector`} aria-busy />,
);
/** Until it is there, the border can be seen and not moved. */
export const Handle = lazily(
  () => import("./Handle").then((part) => part.Handle),
  () => <div className="handle" />,
);
export const RowMenu = lazily(() => import("./SessionMenu").then((part) => part.RowMenu));
export const SessionMenu = lazily(
  () => import("./SessionMenu").then((part) => part.SessionMenu),
  () => <span className="button icon small" />,
);
export const SettingsDialog = lazily(() =>
  import("../features/settings/SettingsDialog").then((part) => part.SettingsDialog),
);
export const TrustDialog = lazily(() =>
  import("../features/trust/TrustDialog").then((part) => part.TrustDialog),
);
export const Palette = lazily(() => import("../features/palette/Palette").then((part) => part.Palette));
export const KeyboardMap = lazily(() =>
  import("../features/palette/KeyboardMap").then((part) => part.KeyboardMap),
);
export const Places = lazily(() => import("./Places").then((part) => part.Places));
export const MemoryPlace = lazily(() =>
  import("../features/memory/MemoryPlace").then((part) => part.MemoryPlace),
);
export const InboxPlace = lazily(() =>
  import("../features/inbox/InboxPlace").then((part) => part.InboxPlace),
);
export const UsagePlace = lazily(() =>
  import("../features/usage/UsagePlace").then((part) => part.UsagePlace),
);
export const PipelinesPlace = lazily(() =>
  import("../features/pipelines/PipelinesPlace").then((part) => part.PipelinesPlace),
);
export const Thing = lazily(() => import("./Waiting").then((part) => part.Thing));
export const Gate = lazily(() => import("./Waiting").then((part) => part.Gate));
export const PlanApproval = lazily(() =>
  import("../features/review/PlanApproval").then((part) => part.PlanApproval),
);
export const CrashNote = lazily(() => import("./CrashNote").then((part) => part.CrashNote));
export const FindBar = lazily(() => import("../features/find/FindBar").then((part) => part.FindBar));
export const ReplayBar = lazily(() => import("../features/replay/ReplayBar").then((part) => part.ReplayBar));
export const ReplayedFiles = lazily(() =>
  import("../features/replay/ReplayedFiles").then((part) => part.ReplayedFiles),
);
export const NativeMenus = lazily(() => import("./NativeMenus").then((part) => part.NativeMenus));
export const HistoryDialogs = lazily(() => import("./HistoryDialogs").then((part) => part.HistoryDialogs));
