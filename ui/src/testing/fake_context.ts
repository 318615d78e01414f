/** The scripted engine's side of what the model sees and remembers. */
import type { Answer, CommandName, Params } from "../platform/platform";
import type {
  AgentState,
  ContextPart,
  MemoryEntry,
  MentionEntry,
  NextRequest,
  SlashCommandEntry,
} from "../protocol/generated";

type Handlers = { [Name in CommandName]?: (params: Params<Name>) => Answer<Name> };

export const noRequest: NextRequest = {
  model: "openai/gpt-5.1",
  window: 400_000,
  totalTokens: 0,
  countedTokens: 0,
  parts: [],
  leftOut: { messages: 0, tokens: 0 },
  compactions: [],
  settings: { model: null, effort: null, core: null, system: null },
  configured: {
    model: "openai/gpt-5.1",
    effort: null,
    core: "tool-loop",
    cores: ["tool-loop", "pes"],
    system: null,
  },
  warnings: [],
};

export function contextPart(given: Partial<ContextPart>): ContextPart {
  return { id: null, part: "messages", origin: "", tokens: 0, share: 0, seq: null, off: false, ...given };
}

/** Sums and shares follow from the parts. */
export function requestOf(given: Partial<NextRequest>): NextRequest {
  const next = { ...noRequest, ...given };
  const totalTokens = next.parts.reduce((sum, part) => sum + part.tokens, 0);
  const parts = next.parts.map((part) => ({ ...part, share: part.tokens / Math.max(1, totalTokens) }));
  return { ...next, parts, totalTokens };
}

/** Some of the built-in ones, and one that the user wrote. */
export const commands: SlashCommandEntry[] = [
  ["compact", "[what to keep]", "Shorten what the model sees of this conversation", false],
  ["context", "", "Show the parts of the next request", false],
  ["git:commit", "", "Write a commit message from what is staged", true],
  ["init", "", "Write an AGENTS.md from what is in the project", true],
  ["new", "", "Begin a new session", false],
  ["rename", "TITLE", "Rename this session", false],
  ["review", "[what]", "Review the changes in this project", true],
  ["tools", "", "Choose the tools of this session", false],
].map(([name, takes, description, beginsRun]) => ({
  name: String(name),
  arguments: String(takes),
  description: String(description),
  source: name === "git:commit" ? ".claude/commands/git/commit.md" : "built in",
  beginsRun: beginsRun === true,
}));

export const mentions: MentionEntry[] = [
  { mention: "@crates/view/", kind: "folder", name: "crates/view/" },
  { mention: "@crates/view/src/app.rs", kind: "file", name: "crates/view/src/app.rs" },
  { mention: '@"docs/a name.md"', kind: "file", name: "docs/a name.md" },
  { mention: "@diff", kind: "diff", name: "diff" },
  { mention: "@session:s-review", kind: "session", name: "Rename the widget API" },
];

/** What is absent stays; an empty text is as configured again. */
const changed = (before: string | null, change: string | null) =>
  change === null ? before : change === "" ? null : change;

export function contextHandlers(given: {
  next?: NextRequest;
  memory?: MemoryEntry[];
  state?: AgentState;
}): Handlers {
  let next = given.next ?? noRequest;
  let memory = given.memory ?? [];
  const change = (id: string, changes: Partial<MemoryEntry>) => {
    memory = memory.map((one) => (one.id === id ? { ...one, ...changes } : one));
    return null;
  };
  return {
    list_commands: () => commands,
    mentions_in: ({ text }) =>
      [...text.matchAll(/@\S+/g)].map(([mention]) => ({
        mention,
        tokens: mention.startsWith("@http") ? null : mention.length * 100,
        note: mention.endsWith(".png") ? "It is a picture, which this model can't see." : null,
      })),
    list_mentions: ({ typed }) =>
      mentions.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase())),
    next_request: () => next,
    compact_session: () => null,
    get_state: () => given.state ?? {},
    configure_session: ({ changes: { on, off, ...changes } }) => {
      const { settings } = next;
      next = {
        ...next,
        settings: {
          model: changed(settings.model, changes.model),
          effort: changed(settings.effort, changes.effort),
          core: changed(settings.core, changes.core),
          system: changed(settings.system, changes.system),
        },
      };
      const isOff = (part: ContextPart) =>
        part.id !== null && (off.includes(part.id) || (part.off && !on.includes(part.id)));
      next = requestOf({ ...next, parts: next.parts.map((part) => ({ ...part, off: isOff(part) })) });
      return next;
    },
    list_memory: () => memory,
    accept_memory: ({ id, text }) =>
      change(id, { state: "accepted", used: true, ...(text === null ? {} : { text }) }),
    reject_memory: ({ id }) => {
      memory = memory.filter((one) => one.id !== id);
      return null;
    },
    edit_memory: ({ id, text }) => change(id, { text }),
    remove_memory: ({ id }) => {
      memory = memory.filter((one) => one.id !== id);
      return null;
    },
  };
}
