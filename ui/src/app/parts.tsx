/** What the window does not need to show its first content. */
import { t } from "@lingui/core/macro";
import { lazily } from "../components/lazily";

/** Seen before the first folder alone. It comes first: it is the first content then. */
export const Welcome = lazily(() => import("../features/welcome/Welcome").then((part) => part.Welcome));
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
export const Dialogs = lazily(() => import("./Dialogs").then((part) => part.Dialogs));
export const HistorySaid = lazily(() => import("./HistorySaid").then((part) => part.HistorySaid));
export const Places = lazily(() => import("./Places").then((part) => part.Places));
export const CrashNote = lazily(() => import("./CrashNote").then((part) => part.CrashNote));
export const FindBar = lazily(() => import("../features/find/FindBar").then((part) => part.FindBar));
export const ReplayBar = lazily(() => import("../features/replay/ReplayBar").then((part) => part.ReplayBar));
export const Outside = lazily(() => import("./Outside").then((part) => part.Outside));
export const HistoryDialogs = lazily(() => import("./HistoryDialogs").then((part) => part.HistoryDialogs));
