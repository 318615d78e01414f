/** What the desktop says outside of the page. */
import { t } from "@lingui/core/macro";
import type { DesktopWords } from "../protocol/generated";

/** Arki puts in what they stand for. */
const [error, tool] = ["{error}", "{tool}"];

export const desktopWords = (): DesktopWords => ({
  tray: {
    show: t`Show Arki`,
    newSession: t`New session`,
    inbox: t`Inbox`,
    quit: t`Quit`,
    pending: t`Pending decisions`,
    running: t`Active runs`,
  },
  notices: {
    done: t`Arki has finished.`,
    budgetExhausted: t`The run's budget is used up.`,
    failed: t`The run failed: ${error}`,
    permission: t`Arki needs your permission to use ${tool}.`,
    decision: t`Arki needs your decision.`,
    question: t`Arki has a question for you.`,
    open: t`Open`,
  },
  dialogs: {
    openFolder: t`Open folder`,
    attachFiles: t`Attach files`,
    importSessions: t`Import sessions`,
    exportedSessions: t`Exported sessions`,
    exportSession: t`Export session`,
    saveOutput: t`Save output`,
  },
});
