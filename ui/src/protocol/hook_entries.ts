/** A hook's entry in the configuration as a form has it, and back. What the form doesn't ask for stays in the entry. */
import type { HookActionKind, HookEvent } from "./generated";
import { isRecord } from "./read";

export type HookDraft = {
  event: HookEvent;
  name: string;
  /** A regular expression for tools, or the kind of an event; null: `tools`, `paths` and `commands` say it. */
  matcher: string | null;
  /** One a line, as the next two. */
  tools: string;
  paths: string;
  commands: string;
  action: HookActionKind;
  /** The commands behind one matcher; an entry of Arki's own form has one. */
  runs: { command: string; seconds: string }[];
  text: string;
  network: boolean;
  entry: Readonly<Record<string, unknown>>;
};

/** Of one call of a tool. */
export const isOfCall = (event: HookEvent) =>
  event === "PreToolUse" || event === "PostToolUse" || event === "PreCommit";

export function newHook(): HookDraft {
  return readHook("PostToolUse", {});
}

export function readHook(event: HookEvent, value: unknown): HookDraft {
  const entry = isRecord(value) ? value : {};
  const condition = isRecord(entry.condition) ? entry.condition : {};
  const behind = Array.isArray(entry.hooks) ? entry.hooks.filter(isRecord) : null;
  const own = [{ command: text(entry.command), seconds: text(entry.timeoutSeconds) }];
  const ofOwnForm = behind === null && !("matcher" in entry);
  return {
    event,
    name: text(entry.name),
    matcher: ofOwnForm && isOfCall(event) ? null : text(entry.matcher),
    tools: lines(condition.toolName),
    paths: lines(condition.path),
    commands: lines(condition.command),
    action: actionOf(entry.action),
    runs: behind?.map((hook) => ({ command: text(hook.command), seconds: text(hook.timeout) })) ?? own,
    text: text(entry.text ?? entry.message ?? entry.content),
    network: entry.network === true,
    entry,
  };
}

export function writeHook(draft: HookDraft): Record<string, unknown> {
  const { entry, matcher, action, runs, network } = draft;
  const {
    condition: _,
    command: _c,
    timeoutSeconds: _t,
    text: _x,
    message: _m,
    content: _o,
    ...kept
  } = entry;
  const written: Record<string, unknown> = { ...kept };
  put(written, "name", draft.name.trim());
  put(written, "network", network || ("network" in entry ? false : ""));
  put(written, "matcher", matcher ?? "");
  const condition = {
    ...listed("toolName", draft.tools),
    ...listed("path", draft.paths),
    ...listed("command", draft.commands),
  };
  if (matcher === null && Object.keys(condition).length > 0) written.condition = condition;
  if (Array.isArray(entry.hooks)) {
    written.hooks = entry.hooks.map((hook, place) => {
      const changed = { ...(isRecord(hook) ? hook : {}), command: runs[place]?.command ?? "" };
      put(changed, "timeout", seconds(runs[place]?.seconds));
      return changed;
    });
    return written;
  }
  put(written, "action", action === "command" && !("action" in entry) ? "" : action);
  if (action === "command") {
    written.command = runs[0]?.command ?? "";
    put(written, "timeoutSeconds", seconds(runs[0]?.seconds));
  } else {
    const key = ["text", "message", "content"].find((name) => name in entry) ?? "text";
    written[key] = draft.text;
  }
  return written;
}

/** How many commands stand in an entry; those behind one matcher share one. */
export function runsIn(entry: unknown): number {
  return isRecord(entry) && Array.isArray(entry.hooks) ? entry.hooks.length : 1;
}

/** The entry without one of the commands in it; null where nothing is left. */
export function withoutRun(entry: unknown, place: number): unknown {
  if (!isRecord(entry) || !Array.isArray(entry.hooks) || entry.hooks.length <= 1) return null;
  return { ...entry, hooks: entry.hooks.toSpliced(place, 1) };
}

/** An empty value takes the key away. */
function put(object: Record<string, unknown>, key: string, value: unknown) {
  if (value === "") delete object[key];
  else object[key] = value;
}

/** What is no number stays as it was typed, for the engine to say so. */
function seconds(typed: string | undefined): number | string {
  const trimmed = (typed ?? "").trim();
  return trimmed === "" || Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
}

function actionOf(value: unknown): HookActionKind {
  return value === "inject" || value === "log" || value === "remind" ? value : "command";
}

const text = (value: unknown) => (typeof value === "string" || typeof value === "number" ? `${value}` : "");

const lines = (value: unknown) => (Array.isArray(value) ? value.map(text).join("\n") : "");

function listed(key: string, typed: string): Record<string, string[]> {
  const items = typed
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  return items.length > 0 ? { [key]: items } : {};
}

/** A call that a hook is for, as far as its condition names one. */
export function exampleFor(event: HookEvent, entry: unknown): { tool: string; args: string } {
  const command = (line: string) => ({ tool: "run_command", args: JSON.stringify({ command: line }) });
  if (event === "PreCommit") return command("git commit -m test");
  const { tools, paths, commands } = readHook(event, entry);
  const line = commands.split("\n")[0];
  if (line) return command(line.replaceAll("*", ""));
  const tool = tools.split("\n").find((name) => /^\w+$/.test(name)) ?? "edit_file";
  if (tool === "run_command") return command("git status");
  const path = paths.split("\n").find((glob) => glob !== "" && !/[*?[{]/.test(glob)) ?? "README.md";
  return { tool, args: JSON.stringify({ path }) };
}
