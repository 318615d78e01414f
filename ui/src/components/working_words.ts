/** What a run does right now, in words. */
import { t } from "@lingui/core/macro";
import { commandName, type Working } from "../protocol/working";
import { mainArgument } from "./tool_words";

export function silentWords({ doing, model }: Extract<Working, { kind: "model" }>, seconds: number): string {
  return doing === "waits" ? t`No words from ${model} for ${seconds} s` : t`No words for ${seconds} s`;
}

/** Without a time where it is null. */
export function workingWords(working: Working, seconds: number | null): string {
  if (working.kind === "call" && seconds !== null && working.others === 0)
    return t`Running ${callName(working)} · ${seconds} s`;
  const words = doingWords(working);
  const isTimed = working.kind !== "model" || working.doing === "waits";
  return seconds === null || seconds === 0 || !isTimed ? words : t`${words} · ${seconds} s`;
}

function doingWords(working: Working): string {
  switch (working.kind) {
    case "begins":
      return t`Getting ready`;
    case "compacting":
      return t`Summarizing older messages to make room`;
    case "model":
      if (working.doing === "waits") return t`Waiting for ${working.model}`;
      return working.doing === "thinks" ? t`Thinking` : t`Writing`;
    case "call":
      return callWords(working);
  }
}

type Call = Extract<Working, { kind: "call" }>;

function callWords(call: Call): string {
  return call.others > 0 ? t`Running ${call.others + 1} tools` : t`${callName(call)} is running`;
}

function callName({ toolId, args, isCommand }: Call): string {
  const about = mainArgument(args);
  return isCommand ? commandName(about) : `${toolId} ${about}`.trim();
}
