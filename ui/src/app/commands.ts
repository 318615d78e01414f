/** Every action that can be taken from anywhere, with its shortcut: for the palette, the map and the keys. */
import { t } from "@lingui/core/macro";
import { useLayoutEffect } from "react";
import { modeChoices } from "../components/approval_modes";
import type { CommandKeys } from "../components/command_keys";
import type { Command } from "../components/commands";
import { homePath } from "../components/format";
import { isModalOpen } from "../components/modal";
import { inTextField, matches } from "../components/shortcuts";
import type { ApprovalMode, ExportFormat, HistorySource, ModelEntry } from "../protocol/generated";

export type Actions = {
  openFolder: () => void;
  openRecent: (path: string) => void;
  newSession: () => void;
  newWorktree: (() => void) | null;
  newWindow: () => void;
  /** In a window of its own. */
  openApart: (() => void) | null;
  copyLink: (() => void) | null;
  stop: (() => void) | null;
  pause: (() => void) | null;
  resume: (() => void) | null;
  sendNext: (() => void) | null;
  /** The last message of the user. */
  editLast: (() => void) | null;
  fork: (() => void) | null;
  exportAs: ((format: ExportFormat) => void) | null;
  importSessions: () => void;
  /** What another agent has kept of the folder that is shown, or of all where none is. */
  importFrom: (agent: HistorySource) => void;
  renameSession: (() => void) | null;
  deleteSession: (() => void) | null;
  /** Null without a session; whether it is so already decides the words. */
  pin: { isOn: boolean; toggle: () => void } | null;
  archive: { isOn: boolean; toggle: () => void } | null;
  commit: (() => void) | null;
  openInEditor: (() => void) | null;
  showInFolder: (() => void) | null;
  openTerminal: (() => void) | null;
  find: (() => void) | null;
  replay: (() => void) | null;
  zoomIn: () => void;
  zoomOut: () => void;
  zoomUsual: () => void;
  sessionSettings: (() => void) | null;
  inbox: (() => void) | null;
  inboxList: () => void;
  review: (() => void) | null;
  reviewMode: (() => void) | null;
  timeline: (() => void) | null;
  plan: (() => void) | null;
  context: () => void;
  processes: () => void;
  memory: () => void;
  pipelines: () => void;
  usage: () => void;
  compact: (() => void) | null;
  filterSessions: () => void;
  focusMessage: () => void;
  /** To another message of the user in the transcript. */
  stepMessage: ((by: 1 | -1) => void) | null;
  toggleSidebar: () => void;
  toggleInspector: (() => void) | null;
  /** Null where there is nothing to go to. */
  back: (() => void) | null;
  forward: (() => void) | null;
  settings: () => void;
  palette: () => void;
  keys: () => void;
  trust: (() => void) | null;
  theme: (theme: "system" | "light" | "dark") => void;
  model: (id: string) => void;
  mode: (mode: ApprovalMode) => void;
};

/** A command, also one that can't be run right now. */
export type Draft = Omit<Command, "run" | "shortcut"> & { run: (() => void) | null };

/** `recent`: folders that were open before, by their paths. */
export function draftsOf(
  act: Actions,
  models: readonly ModelEntry[],
  recent: readonly string[] = [],
): Draft[] {
  return [
    { id: "new", section: t`Session`, title: t`New session`, run: act.newSession },
    {
      id: "worktree",
      section: t`Session`,
      title: t`New session in a worktree…`,
      run: act.newWorktree,
    },
    {
      id: "apart",
      section: t`Session`,
      title: t`Open this session in a new window`,
      run: act.openApart,
    },
    { id: "link", section: t`Session`, title: t`Copy link to this session`, run: act.copyLink },
    {
      id: "message",
      section: t`Session`,
      title: t`Write a message`,
      run: act.focusMessage,
    },
    { id: "stop", section: t`Session`, title: t`Stop the run`, run: act.stop },
    { id: "pause", section: t`Session`, title: t`Pause the run`, run: act.pause },
    { id: "resume", section: t`Session`, title: t`Resume the run`, run: act.resume },
    {
      id: "next",
      section: t`Session`,
      title: t`Send the next queued message`,
      run: act.sendNext,
    },
    {
      id: "edit",
      section: t`Session`,
      title: t`Edit and resend the last message`,
      run: act.editLast,
    },
    {
      id: "inbox",
      section: t`Session`,
      title: t`Go to the next pending decision`,
      run: act.inbox,
    },
    {
      id: "compact",
      section: t`Session`,
      title: t`Compact now…`,
      run: act.compact,
    },
    { id: "fork", section: t`Session`, title: t`Fork from here`, run: act.fork },
    ...exportsOf(act),
    {
      id: "import",
      section: t`Session`,
      title: t`Import sessions`,
      run: act.importSessions,
    },
    ...importsOf(act),
    {
      id: "rename",
      section: t`Session`,
      title: t`Rename this session`,
      run: act.renameSession,
    },
    {
      id: "pin",
      section: t`Session`,
      title: act.pin?.isOn ? t`Unpin this session` : t`Pin this session`,
      run: act.pin?.toggle ?? null,
    },
    {
      id: "archive",
      section: t`Session`,
      title: act.archive?.isOn ? t`Bring this session back from the archive` : t`Archive this session`,
      run: act.archive?.toggle ?? null,
    },
    { id: "find", section: t`Session`, title: t`Find in this session`, run: act.find },
    { id: "replay", section: t`Session`, title: t`Replay this session`, run: act.replay },
    {
      id: "session-settings",
      section: t`Session`,
      title: t`Session settings`,
      run: act.sessionSettings,
    },
    {
      id: "delete",
      section: t`Session`,
      title: t`Delete this session`,
      run: act.deleteSession,
    },
    { id: "open", section: t`Folder`, title: t`Open folder`, run: act.openFolder },
    ...recent.map((path) => ({
      id: `${recentId}${path}`,
      section: t`Folder`,
      title: t`Open recent: ${homePath(path)}`,
      foreign: homePath(path),
      run: () => act.openRecent(path),
    })),
    { id: "commit", section: t`Folder`, title: t`Commit…`, run: act.commit },
    {
      id: "editor",
      section: t`Folder`,
      title: t`Open in editor`,
      run: act.openInEditor,
    },
    {
      id: "reveal",
      section: t`Folder`,
      title: t`Show in folder`,
      run: act.showInFolder,
    },
    {
      id: "terminal",
      section: t`Folder`,
      title: t`Terminal here`,
      run: act.openTerminal,
    },
    {
      id: "trust",
      section: t`Folder`,
      title: t`Review trust of this folder`,
      run: act.trust,
    },
    { id: "back", section: t`View`, title: t`Back`, run: act.back },
    { id: "forward", section: t`View`, title: t`Forward`, run: act.forward },
    { id: "changes", section: t`View`, title: t`Show changes`, run: act.review },
    { id: "review-mode", section: t`View`, title: t`Enter or leave review mode`, run: act.reviewMode },
    {
      id: "previous-message",
      section: t`View`,
      title: t`Go to your previous message`,
      run: act.stepMessage && (() => act.stepMessage?.(-1)),
    },
    {
      id: "next-message",
      section: t`View`,
      title: t`Go to your next message`,
      run: act.stepMessage && (() => act.stepMessage?.(1)),
    },
    { id: "timeline", section: t`View`, title: t`Show timeline`, run: act.timeline },
    { id: "plan", section: t`View`, title: t`Show plan`, run: act.plan },
    { id: "context", section: t`View`, title: t`Show context`, run: act.context },
    { id: "processes", section: t`View`, title: t`Show processes`, run: act.processes },
    { id: "inbox-list", section: t`View`, title: t`Show inbox`, run: act.inboxList },
    { id: "memory", section: t`View`, title: t`Show memory`, run: act.memory },
    {
      id: "pipelines",
      section: t`View`,
      title: t`Pipelines: start, runs, schedules`,
      run: act.pipelines,
    },
    { id: "usage", section: t`View`, title: t`Usage: cost and tokens`, run: act.usage },
    {
      id: "filter",
      section: t`View`,
      title: t`Filter sessions`,
      run: act.filterSessions,
    },
    {
      id: "sidebar",
      section: t`View`,
      title: t`Show or hide the sessions`,
      run: act.toggleSidebar,
    },
    {
      id: "inspector",
      section: t`View`,
      title: t`Show or hide the inspector`,
      run: act.toggleInspector,
    },
    { id: "window", section: t`View`, title: t`New window`, run: act.newWindow },
    { id: "zoom-in", section: t`View`, title: t`Zoom in`, run: act.zoomIn },
    { id: "zoom-out", section: t`View`, title: t`Zoom out`, run: act.zoomOut },
    { id: "zoom-usual", section: t`View`, title: t`Reset zoom`, run: act.zoomUsual },
    { id: "light", section: t`View`, title: t`Use the light theme`, run: () => act.theme("light") },
    { id: "dark", section: t`View`, title: t`Use the dark theme`, run: () => act.theme("dark") },
    { id: "system", section: t`View`, title: t`Use the system theme`, run: () => act.theme("system") },
    { id: "settings", section: "Arki", title: t`Settings`, run: act.settings },
    { id: "palette", section: "Arki", title: t`Command palette`, run: act.palette },
    {
      id: "search",
      section: "Arki",
      title: t`Search all sessions`,
      run: act.palette,
    },
    { id: "keys", section: "Arki", title: t`Keyboard map`, run: act.keys },
    ...modeChoices().map(({ value, label }) => ({
      id: modeIds[value],
      section: t`Mode`,
      title: t`Mode: ${label}`,
      run: () => act.mode(value),
    })),
    ...models.map((model) => ({
      id: `model ${model.id}`,
      section: t`Model`,
      title: t`Use ${model.id}`,
      foreign: model.id,
      run: () => act.model(model.id),
    })),
  ];
}

/** "plan" shows the plan. */
const modeIds: Readonly<Record<ApprovalMode, string>> = {
  ask: "ask",
  edits: "edits",
  all: "all",
  plan: "only-plan",
};

/** Begins the id of a command that opens a recent folder. */
export const recentId = "recent ";

/** Those that can be run right now, with their keys. */
export function commandsOf(drafts: readonly Draft[], keys: CommandKeys): Command[] {
  return drafts.flatMap(({ run, ...rest }) =>
    run === null ? [] : [{ ...rest, shortcut: keys[rest.id], run }],
  );
}

const formats: readonly [ExportFormat, string][] = [
  ["jsonl", "JSONL"],
  ["markdown", "Markdown"],
  ["html", "HTML"],
];

const exportId = (format: ExportFormat) => `export ${format}`;
export const exportIds: readonly string[] = formats.map(([format]) => exportId(format));

function exportsOf({ exportAs }: Actions): Draft[] {
  return formats.map(([format, name]) => ({
    id: exportId(format),
    section: t`Session`,
    title: t`Export as ${name}`,
    run: exportAs && (() => exportAs(format)),
  }));
}

/** The other agents whose sessions can be brought in. */
export const agentNames: Readonly<Record<HistorySource, string>> = {
  claude_code: "Claude Code",
  codex: "Codex",
  opencode: "opencode",
};

function importsOf({ importFrom }: Actions): Draft[] {
  return (Object.keys(agentNames) as HistorySource[]).map((agent) => ({
    id: `import-${agent}`,
    section: t`Session`,
    title: t`Import sessions from ${agentNames[agent]}`,
    run: () => importFrom(agent),
  }));
}

/** A key that would write something. */
const isText = /^.$/;

/** They change how everything looks, a dialog included, and nothing behind it. */
const worksInDialogs: readonly string[] = ["zoom-in", "zoom-out", "zoom-usual"];

/** Runs a command by its key. A modal dialog keeps its keys to itself, whoever opened it. */
export function useKeys(commands: readonly Command[], dialogOpen: boolean): void {
  // With the first content: who is quick with a key is heard.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const command = commands.find((one) => one.shortcut && matches(event, one.shortcut));
      if (command && (dialogOpen || isModalOpen()) && !worksInDialogs.includes(command.id)) return;
      if (!command || (isText.test(command.shortcut ?? "") && inTextField(event.target))) return;
      event.preventDefault();
      command.run();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [commands, dialogOpen]);
}
