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
import type { Actions } from "./use_commands";

/** A command, also one that can't be run right now. */
export type Draft = Omit<Command, "run" | "shortcut"> & { run: (() => void) | null };

/** A command by its id, its title and what it does; null: not right now. `foreign`: what in the title others named. */
type Entry = readonly [id: string, title: string, run: Draft["run"], foreign?: string];

const inSection = (section: string, entries: readonly Entry[]): Draft[] =>
  entries.map(([id, title, run, foreign]) => ({ id, section, title, foreign, run }));

/** `recent`: folders that were open before, by their paths. */
export function draftsOf(act: Actions, models: readonly ModelEntry[], recent: readonly string[] = []) {
  const pin = act.pin?.isOn ? t`Unpin this session` : t`Pin this session`;
  const archive = act.archive?.isOn ? t`Bring this session back from the archive` : t`Archive this session`;
  return [
    ...inSection(t`Session`, [
      ["new", t`New session`, act.newSession],
      ["worktree", t`New session in a worktree…`, act.newWorktree],
      ["apart", t`Open this session in a new window`, act.openApart],
      ["link", t`Copy link to this session`, act.copyLink],
      ["message", t`Write a message`, act.focusMessage],
      ["stop", t`Stop the run`, act.stop],
      ["pause", t`Pause the run`, act.pause],
      ["resume", t`Resume the run`, act.resume],
      ["next", t`Send the next queued message`, act.sendNext],
      ["edit", t`Edit and resend the last message`, act.editLast],
      ["inbox", t`Go to the next pending decision`, act.inbox],
      ["compact", t`Compact now…`, act.compact],
      ["fork", t`Fork from here`, act.fork],
      ...exportsOf(act),
      ["import", t`Import sessions`, act.importSessions],
      ...importsOf(act),
      ["rename", t`Rename this session`, act.renameSession],
      ["pin", pin, act.pin?.toggle ?? null],
      ["archive", archive, act.archive?.toggle ?? null],
      ["find", t`Find in this session`, act.find],
      ["replay", t`Replay this session`, act.replay],
      ["session-settings", t`Session settings`, act.sessionSettings],
      ["delete", t`Delete this session`, act.deleteSession],
    ]),
    ...inSection(t`Folder`, [
      ["open", t`Open folder`, act.openFolder],
      ...recent.map(
        (path): Entry => [
          `${recentId}${path}`,
          t`Open recent: ${homePath(path)}`,
          () => act.openRecent(path),
          homePath(path),
        ],
      ),
      ["commit", t`Commit…`, act.commit],
      ["editor", t`Open in editor`, act.openInEditor],
      ["reveal", t`Show in folder`, act.showInFolder],
      ["terminal", t`Terminal here`, act.openTerminal],
      ["trust", t`Review trust of this folder`, act.trust],
    ]),
    ...inSection(t`View`, [
      ["back", t`Back`, act.back],
      ["forward", t`Forward`, act.forward],
      ["changes", t`Show changes`, act.review],
      ["review-mode", t`Enter or leave review mode`, act.reviewMode],
      ["previous-message", t`Go to your previous message`, act.stepMessage && (() => act.stepMessage?.(-1))],
      ["next-message", t`Go to your next message`, act.stepMessage && (() => act.stepMessage?.(1))],
      ["timeline", t`Show timeline`, act.timeline],
      ["plan", t`Show plan`, act.plan],
      ["context", t`Show context`, act.context],
      ["processes", t`Show processes`, act.processes],
      ["inbox-list", t`Show inbox`, act.inboxList],
      ["memory", t`Show memory`, act.memory],
      ["pipelines", t`Pipelines: start, runs, schedules`, act.pipelines],
      ["usage", t`Usage: cost and tokens`, act.usage],
      ["filter", t`Filter sessions`, act.filterSessions],
      ["sidebar", t`Show or hide the sessions`, act.toggleSidebar],
      ["inspector", t`Show or hide the inspector`, act.toggleInspector],
      ["window", t`New window`, act.newWindow],
      ["zoom-in", t`Zoom in`, act.zoomIn],
      ["zoom-out", t`Zoom out`, act.zoomOut],
      ["zoom-usual", t`Reset zoom`, act.zoomUsual],
      ["light", t`Use the light theme`, () => act.theme("light")],
      ["dark", t`Use the dark theme`, () => act.theme("dark")],
      ["system", t`Use the system theme`, () => act.theme("system")],
    ]),
    ...inSection("Arki", [
      ["settings", t`Settings`, act.settings],
      ["palette", t`Command palette`, act.palette],
      ["search", t`Search all sessions`, act.palette],
      ["keys", t`Keyboard map`, act.keys],
    ]),
    ...inSection(
      t`Mode`,
      modeChoices().map(({ value, label }) => [modeIds[value], t`Mode: ${label}`, () => act.mode(value)]),
    ),
    ...inSection(
      t`Model`,
      models.map((model) => [`model ${model.id}`, t`Use ${model.id}`, () => act.model(model.id), model.id]),
    ),
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

const exportsOf = ({ exportAs }: Actions): Entry[] =>
  formats.map(([format, name]) => [
    exportId(format),
    t`Export as ${name}`,
    exportAs && (() => exportAs(format)),
  ]);

/** The other agents whose sessions can be brought in. */
export const agentNames: Readonly<Record<HistorySource, string>> = {
  claude_code: "Claude Code",
  codex: "Codex",
  opencode: "opencode",
};

const importsOf = ({ importFrom }: Actions): Entry[] =>
  (Object.keys(agentNames) as HistorySource[]).map((agent) => [
    `import-${agent}`,
    t`Import sessions from ${agentNames[agent]}`,
    () => importFrom(agent),
  ]);

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
