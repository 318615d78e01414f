/** What a session that has not begun needs none of. */
import { t } from "@lingui/core/macro";
import { lazily } from "../../components/lazily";

export const Said = lazily(
  () => import("./Said").then((part) => part.Said),
  () => <p className="empty secondary">{t`Loading…`}</p>,
);
export const QueueList = lazily(() => import("./QueueList").then((part) => part.QueueList));
export const Elicitations = lazily(() => import("./Elicitations").then((part) => part.Elicitations));
export const LiveLine = lazily(() => import("./FootNotes").then((part) => part.LiveLine));
export const NextStep = lazily(() => import("./FootNotes").then((part) => part.NextStep));
export const ResultCard = lazily(() => import("./FootNotes").then((part) => part.ResultCard));
