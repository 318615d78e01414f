/** Everything that waits for the user, whoever asks, the longest waiting first. Pure. */
import { plural, t } from "@lingui/core/macro";
import { previewPaths } from "../../components/diff/preview_files";
import { firstLine, mainArgument } from "../../components/tool_words";
import type { PendingApproval } from "../../protocol/approvals";
import type { ElicitationSummary, QuestionSummary, SessionSummary } from "../../protocol/generated";
import { text } from "../../protocol/read";
import { decidedIn, projectOf } from "../../protocol/sessions";

export type WaitingKind = "approval" | "question" | "form";

export type Waiting = {
  key: string;
  kind: WaitingKind;
  /** Of the approval, the question or the form. */
  id: string;
  /** The tool, or who asks. */
  asks: string;
  isTool: boolean;
  /** What it is about: a file, a command, a question; one line. */
  about: string;
  /** Where it is decided; null for a form that may be of any of its folder's sessions. */
  sessionId: string | null;
  /** That session's title. */
  title: string;
  /** The sub-agent that asks; null for the session's own. */
  agent: string | null;
  /** The folder under which the session is listed. */
  project: string;
  /** Milliseconds since 1970. */
  since: number;
};

type Lists = {
  approvals: readonly PendingApproval[];
  questions: readonly QuestionSummary[];
  elicitations: readonly ElicitationSummary[];
  sessions: readonly SessionSummary[];
};

export function waitingOf({ approvals, questions, elicitations, sessions }: Lists): Waiting[] {
  const placeOf = placesIn(sessions);
  const all: Waiting[] = [
    ...approvals.map((one) => ({
      ...named("approval", one.approvalId),
      ...approvalWords(one),
      ...placeOf(one.sessionId),
      since: one.requestedAt,
    })),
    ...questions.map((one) => ({
      ...named("question", one.questionId),
      asks: t`Question`,
      isTool: false,
      about: firstLine(one.text),
      ...placeOf(one.sessionId),
      since: one.askedAt,
    })),
    ...elicitations.map((one) => ({
      ...named("form", `${one.id}`),
      asks: one.server,
      isTool: false,
      about: firstLine(one.message),
      ...(one.sessionId === null
        ? { sessionId: null, title: "", agent: null, project: one.project }
        : placeOf(one.sessionId)),
      since: one.askedAt,
    })),
  ];
  return all.sort((a, b) => a.since - b.since);
}

const named = (kind: WaitingKind, id: string) => ({ key: `${kind} ${id}`, kind, id });

function placesIn(sessions: readonly SessionSummary[]) {
  const known = new Map(sessions.map((one) => [one.sessionId, one]));
  return (sessionId: string) => {
    const at = decidedIn(sessions, sessionId);
    const [own, session] = [known.get(sessionId), known.get(at)];
    return {
      sessionId: at,
      title: session?.title || t`Untitled session`,
      agent: own && own.parent !== null ? own.agent : null,
      project: session ? projectOf(session) : "",
    };
  };
}

function approvalWords(approval: PendingApproval): Pick<Waiting, "asks" | "isTool" | "about"> {
  const { kind, toolId, args } = approval;
  if (kind === "gate") {
    const about = firstLine(text(args, "message")) || t`Go on?`;
    return { asks: t`Pipeline ${text(args, "pipeline")}`, isTool: false, about };
  }
  if (kind === "plan") return { asks: t`Plan`, isTool: false, about: mainArgument(args) };
  return { asks: toolId, isTool: true, about: callWords(approval) };
}

function callWords({ args, preview, command }: PendingApproval): string {
  if (command) return firstLine(command.command);
  const [first, ...others] = preview ? previewPaths(preview) : [];
  if (first === undefined) return mainArgument(args);
  const more = plural(others.length, { one: "and # more file", other: "and # more files" });
  return others.length === 0 ? first : `${first} ${more}`;
}
