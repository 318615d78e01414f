/** What a run that works does right now, from what is held of its log. Pure. */
import type { Event } from "./generated";
import type { Live } from "./live";
import type { ToolItem, Transcript } from "./transcript";

export type Working =
  /** A model was asked: nothing of its answer has come, or its thoughts, or its words. */
  | { kind: "model"; doing: "waits" | "thinks" | "writes"; model: string; since: number }
  | {
      kind: "call";
      toolId: string;
      args: unknown;
      isCommand: boolean;
      others: number;
      lastLine: string;
      since: number;
    }
  /** A model sums up older messages, or nothing else is known. */
  | { kind: "compacting" | "begins"; since: number };

type Known = { transcript: Transcript; live: Live; events: readonly Event[] };

/** `since` is in milliseconds since 1970. */
export function workingOf({ transcript, live, events }: Known): Working {
  const last = events.at(-1)?.ts ?? 0;
  if (transcript.compacting) return { kind: "compacting", since: last };
  const running = transcript.items.filter(isRunning);
  const call = running.at(-1);
  if (call) return ofCall(call, running.length - 1, live, begunAt(events, call.callId) ?? last);
  const asked = events.findLast((event) => event.type === "engine.request");
  if (asked?.type !== "engine.request") return { kind: "begins", since: last };
  const { model } = asked.payload;
  const doing = live.callGrows || live.answer?.speaks ? "writes" : live.answer?.thinks ? "thinks" : "waits";
  const isNext = events.findLast((event) => event.type === "output.message" || event.type === "tool.result");
  const since = Math.max(asked.ts, isNext && isNext.seq > asked.seq ? isNext.ts : 0);
  return { kind: "model", doing, model, since };
}

const isRunning = (item: Transcript["items"][number]): item is ToolItem =>
  item.kind === "tool" && item.state === "running";

function ofCall(call: ToolItem, others: number, live: Live, since: number): Working {
  const { toolId, args, callId } = call;
  const output = live.output[callId] ?? "";
  const lastLine = output.trimEnd().split("\n").at(-1) ?? "";
  const isCommand = call.category === "exec";
  return { kind: "call", toolId, args, isCommand, others, lastLine, since };
}

/** When it was allowed, by the policy or in the end by the user. */
function begunAt(events: readonly Event[], callId: string): number | null {
  const allowed = events.findLast(
    (event) => event.type === "policy.decided" && event.payload.callId === callId,
  );
  return allowed?.ts ?? null;
}

/** So many of a command's words say which one it is. */
const namedWords = 2;

/** `cargo test` of `cargo test --workspace 2>&1 | tail`. */
export function commandName(about: string): string {
  const first = about.split(/[;|&<>\n]/)[0] ?? "";
  const words = first.split(/\s+/).filter((word) => word !== "");
  const plain = words.findIndex((word, place) => place > 0 && /^[-"'$({\d]/.test(word));
  return words.slice(0, plain === -1 ? namedWords : Math.min(plain, namedWords)).join(" ") || about;
}
