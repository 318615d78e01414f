/** One line about an event of any type, known or not; and the filter. Pure. */
import { plural } from "../../components/format";
import type { Event } from "../../protocol/generated";
import { isRecord, list, maybeNumber, payloadOf, strings, text } from "../../protocol/read";
import { titleOf } from "./titles";

const telling = [
  "toolId",
  "path",
  "code",
  "prompt",
  "decision",
  "reason",
  "finishReason",
  "model",
  "title",
  "content",
  "text",
  "message",
  "intent",
  "summary",
  "step",
  "hook",
  "name",
  "mode",
];
const maxWords = 120;

export function summary(event: Event): string {
  const payload = payloadOf(event);
  const words: string[] = counts[event.type]?.(payload) ?? [];
  for (const key of telling) {
    const value = payload[key];
    if (typeof value === "string" && value !== "") words.push(value.split("\n")[0] ?? "");
    if (words.length === 2) break;
  }
  return words.join(" · ").slice(0, maxWords);
}

type Payload = Record<string, unknown>;

/** Where a number or a list says more than any word of the payload. */
const counts: Readonly<Record<string, (payload: Payload) => string[]>> = {
  "session.rewound": (payload) => {
    const what = [payload.conversation === true && "conversation", payload.files === true && "files"];
    return [`to event ${maybeNumber(payload, "toSeq") ?? "?"}`, what.filter(Boolean).join(" and ")];
  },
  "session.granted": (payload) => [plural(list(payload, "rules").length, "rule")],
  "session.forked": (payload) => [`at event ${maybeNumber(payload, "fromSeq") ?? "?"}`],
  "change.taken_back": (payload) =>
    list(payload, "changes")
      .filter(isRecord)
      .map((one) => text(one, "path")),
  "sandbox.cleaned_up": (payload) => strings(list(payload, "notes")),
  "queue.changed": (payload) => [
    `${list(payload, "queued").length} waiting`,
    `${list(payload, "delivered").length} said`,
  ],
  "checkpoint.created": (payload) => [counted(maybeNumber(payload, "files"), "file")],
  "subagent.started": (payload) => [text(payload, "agent")],
  "plan.proposed": planWords,
  "plan.updated": planWords,
};

function planWords(payload: Payload): string[] {
  const steps = list(payload, "steps").filter(isRecord);
  const done = steps.filter((step) => step.state === "done").length;
  return [`${done} of ${steps.length} done`];
}

export function kinds(events: readonly Event[]): string[] {
  return [...new Set(events.map((event) => event.type))].sort();
}

export function filterEvents(events: readonly Event[], kind: string, words: string): Event[] {
  const wanted = words.trim().toLowerCase();
  return events.filter((event) => {
    if (kind !== "" && event.type !== kind) return false;
    if (wanted === "") return true;
    return (
      event.type.includes(wanted) ||
      titleOf(event.type).toLowerCase().includes(wanted) ||
      JSON.stringify(event.payload).toLowerCase().includes(wanted)
    );
  });
}

const counted = (count: number | null, one: string) => (count === null ? `? ${one}s` : plural(count, one));
