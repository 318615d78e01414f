/** One line about an event of any type, known or not; and the filter. Pure. */
import type { Event } from "../../protocol/generated";
import { payloadOf } from "../../protocol/read";

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
];
const maxWords = 120;

export function summary(event: Event): string {
  const payload = payloadOf(event);
  const words: string[] = [];
  for (const key of telling) {
    const value = payload[key];
    if (typeof value === "string" && value !== "") words.push(value.split("\n")[0] ?? "");
    if (words.length === 2) break;
  }
  return words.join(" · ").slice(0, maxWords);
}

export function kinds(events: readonly Event[]): string[] {
  return [...new Set(events.map((event) => event.type))].sort();
}

export function filterEvents(events: readonly Event[], kind: string, words: string): Event[] {
  const wanted = words.trim().toLowerCase();
  return events.filter((event) => {
    if (kind !== "" && event.type !== kind) return false;
    if (wanted === "") return true;
    return event.type.includes(wanted) || JSON.stringify(event.payload).toLowerCase().includes(wanted);
  });
}
