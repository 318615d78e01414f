/**
 * Which of a run's calls are at work. They are carried out in the order in which the model asked for them; only reads
 * go together, and sub-agents that have begun. The log doesn't tell when a read begins, so this follows the engine's
 * own rule (`RunHost::row` in the crate `agent`). Pure.
 */
import { onlyReads, type ToolItem, type ToolState } from "../protocol/items";

/** It reads another call's result, so it is carried out alone. */
const alone = "read_result";

/** The states of calls that have no result yet, oldest first. `rests`: the run is paused, so none of them begins. */
export function statesInTurn(calls: readonly ToolItem[], rests: boolean): ToolState[] {
  const asksUser = calls.some((call) => call.state === "waiting");
  let isNext = true;
  let readsTogether = true;
  return calls.map((call) => {
    const isRead = onlyReads(call) && call.toolId !== alone;
    const mayBegin = !rests && !asksUser && (isNext || (readsTogether && isRead));
    isNext = false;
    readsTogether &&= isRead;
    if (call.state !== "running" && call.state !== "queued") return call.state;
    return mayBegin || call.subagent !== null ? "running" : "queued";
  });
}
