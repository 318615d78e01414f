/** A session whose model asked one question before, and waits for the answer to another. */
import type { Event } from "../protocol/generated";
import { eventLog } from "./events";
import { demoProject } from "./fake";

export function questionLog(sessionId: string): Event[] {
  const { events, add } = eventLog(sessionId);
  const ask = (number: number, question: string, options: string[]) => {
    const [callId, questionId] = [`ask${number}`, `q${number}`];
    const args = { question, options };
    add("tool.call", { callId, toolId: "ask_user", args, category: "read" });
    add("policy.decided", { callId, decision: "allow", rule: "category:read", risk: "low" });
    add("question.asked", { callId, questionId, text: question, options });
    add("run.paused", { reason: "user", questionId });
    return questionId;
  };
  const title = "Choose a storage layout";
  add("session.created", { title, project: demoProject.path, agent: "arki" }, null);
  add("run.started", { prompt: "Move the settings into the database.", agent: "arki" });
  add("output.message", {
    role: "assistant",
    content: "The settings are read in two places, and both expect a file.",
  });
  const first = ask(1, "Shall I keep reading the old file where it is still there?", []);
  add("question.answered", { questionId: first, text: "Yes, for one release.\nThen it may go." });
  add("run.resumed", { reason: "user", questionId: first });
  const result = "Yes, for one release.\nThen it may go.";
  add("tool.result", { callId: "ask1", toolId: "ask_user", result, isError: false, durationMs: 0 });
  ask(
    2,
    "Two layouts fit. A table with **one row a setting** is easy to query; a single JSON document in `settings.json_value` is easy to copy. Which one?",
    [
      "One row a setting",
      "A single JSON document",
      "Both: the rows as the truth, and the document made from them for whoever exports the whole database",
    ],
  );
  return events;
}
