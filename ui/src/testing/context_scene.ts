/** A long session whose model's window fills up. */
import type { PayloadOf } from "../protocol/events";
import type { MemoryEntry, NextRequest, SessionSummary } from "../protocol/generated";
import { models, providers, tools } from "./configured";
import { eventLog } from "./events";
import { createFake, demoProject, type Fake } from "./fake";
import { contextPart, requestOf } from "./fake_context";

const prompts = [
  "Rename Widget to Panel everywhere, and keep old code compiling.",
  "Now the documentation, with an example for each of the three variants that people use most",
  "Run the tests",
  "ما الذي بقي؟",
];

export const longRequest: NextRequest = requestOf({
  model: "anthropic/claude-sonnet-5",
  window: 200_000,
  countedTokens: 61_200,
  parts: [
    contextPart({ part: "base", origin: "built in", tokens: 812 }),
    contextPart({ part: "custom", origin: "configuration", tokens: 140 }),
    contextPart({ id: "rule:AGENTS.md", part: "rules", origin: "AGENTS.md", tokens: 1_930 }),
    contextPart({
      id: "rule:crates/view/CLAUDE.md",
      part: "rules",
      origin: "crates/view/CLAUDE.md",
      tokens: 420,
    }),
    contextPart({
      id: "rule:a",
      part: "rules",
      origin: ".claude/rules/naming-and-other-things.md",
      off: true,
    }),
    contextPart({ part: "skills", origin: "3 skills", tokens: 310 }),
    contextPart({ id: "memory", part: "memory", origin: "memory", tokens: 96 }),
    contextPart({ part: "tools", origin: "built in", tokens: 3_900 }),
    contextPart({ id: "mcp:docs", part: "tools", origin: "docs", tokens: 6_420 }),
    contextPart({ part: "summary", origin: "compaction", tokens: 1_850, seq: 40 }),
    ...prompts.map((origin, place) =>
      contextPart({ origin, tokens: 1_200 + place * 850, seq: 41 + place * 6 }),
    ),
    ...Array.from({ length: 60 }, (_, place) =>
      contextPart({
        id: `result:c${place}`,
        part: "results",
        origin: place % 3 === 0 ? "search_files" : "read_file",
        tokens: 240 + ((place * 7919) % 1900),
        seq: 42 + place,
      }),
    ),
  ],
  warnings: ["crates/view/CLAUDE.md: cut after 32 KiB of 41"],
  leftOut: { messages: 38, tokens: 71_400 },
  compactions: [
    {
      seq: 22,
      strategy: "prune",
      tokensBefore: 92_300,
      tokensAfter: 64_050,
      targetTokens: 80_000,
      summary: "",
      dropped: [
        { seq: 4, kind: "result", text: "read_file crates/view/src/app.rs" },
        { seq: 6, kind: "result", text: "run_command cargo test --workspace --all-targets" },
      ],
      droppedCount: 2,
    },
    {
      seq: 40,
      strategy: "summarize-early",
      tokensBefore: 148_020,
      tokensAfter: 41_600,
      targetTokens: 80_000,
      summary: "# Goal\n\nRename Widget to Panel.",
      dropped: [
        { seq: 2, kind: "user", text: "Where is Widget used?" },
        {
          seq: 3,
          kind: "assistant",
          text: "In 38 places of crates/view, and in the prelude, which re-exports it.",
        },
      ],
      droppedCount: 38,
    },
  ],
});

const entry = (given: Partial<MemoryEntry>): MemoryEntry => ({
  id: "m",
  text: "",
  scope: "project",
  state: "pending",
  sessionId: "s-review",
  project: "/home/ada/code/arki",
  path: null,
  ts: Date.UTC(2026, 10, 21, 9, 40),
  used: false,
  ...given,
});

export const memories: MemoryEntry[] = [
  entry({ id: "p1", text: "The tests of crates/view need a display: run them with xvfb-run." }),
  entry({ id: "p2", scope: "user", text: "Prefers small commits, each with a reason in its message." }),
  entry({
    id: "a1",
    state: "accepted",
    used: true,
    text: "Kind::Widget is serialised; its name on disk must stay.",
    path: "/home/ada/code/arki/.arki/memory/memory.md",
  }),
  entry({
    id: "a2",
    state: "accepted",
    used: true,
    scope: "user",
    sessionId: null,
    project: null,
    text: "Answers in British English.",
    path: "/home/ada/.config/arki/memory/memory.md",
  }),
];

function longSession(sessionId: string) {
  const { events, add } = eventLog(sessionId);
  for (let round = 1; round <= 9; round += 1) {
    add("run.started", { prompt: prompts[round % prompts.length] ?? "" });
    const call = { callId: `c${round}`, toolId: "read_file" };
    add("tool.call", { ...call, args: { path: `crates/view/src/part${round}.rs` }, category: "read" });
    add("tool.result", { ...call, result: "fn draw() {}", durationMs: 4 });
    if (round === 4 || round === 8) add("context.compacted", compactedIn(round));
    add("output.message", { content: `Part ${round} is done. The rest follows the same pattern.` });
    add("run.completed", {});
  }
  return events;
}

const compactedIn = (round: number): Partial<PayloadOf<"context.compacted">> =>
  round === 4
    ? { strategy: "prune", tokensBefore: 92_300, tokensAfter: 64_050, prunedCalls: ["c1", "c2", "c3"] }
    : {
        strategy: "summarize-early",
        tokensBefore: 148_020,
        tokensAfter: 41_600,
        summary:
          "# Goal\n\nRename Widget to Panel everywhere.\n\n# Files changed so far\n\n- `crates/view/src/app.rs`\n- `crates/view/src/lib.rs`\n\n# Summary of what was left out\n\nThe type, its module and the prelude are renamed; **the documentation is open**. `cargo test -p arki-view` passes.",
      };

/** A long session with compactions. */
export const context = (): Fake =>
  createFake({
    models,
    providers,
    tools,
    sessions: [{ ...summary, sessionId: "s-review", title: "Rename the widget API" }],
    logs: { "s-review": longSession("s-review") },
    next: longRequest,
    memory: memories,
  });

const summary: Omit<SessionSummary, "sessionId" | "title"> = {
  project: demoProject.path,
  createdAt: 0,
  updatedAt: 0,
  state: "done",
  pendingApprovals: 0,
  origin: null,
  parent: null,
  agent: "arki",
  pinned: false,
  archived: false,
};
