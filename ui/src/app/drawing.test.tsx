/** What is drawn anew, and what is left alone: the window stays quick however much it shows. */
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useSyncExternalStore } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Event, SessionSummary } from "../protocol/generated";
import type { GrowingText } from "../protocol/growing";
import { eventLog } from "../testing/events";
import { createFake, demoProject, type Fake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { longLog } from "../testing/scenes";
import { App } from "./App";

const drawn = vi.hoisted(() => ({ answers: [] as string[], links: new Set<unknown>(), sessions: 0 }));
vi.mock("../components/markdown/Markdown", () => ({
  Markdown: ({ text, onLink }: { text: string | GrowingText; onLink: unknown }) => {
    const growing = typeof text === "string" ? null : text;
    useSyncExternalStore(growing?.subscribe ?? never, growing?.count ?? none);
    const words = typeof text === "string" ? text : text.whole();
    drawn.answers.push(words);
    drawn.links.add(onLink);
    return <p>{words}</p>;
  },
}));
vi.mock("../components/StateGlyph", async (original) => ({
  ...(await original<typeof import("../components/StateGlyph")>()),
  StateGlyph: () => {
    drawn.sessions += 1;
    return null;
  },
}));

const never = () => () => undefined;
const none = () => 0;

const many = 200;
const sessions = Array.from(
  { length: many },
  (_, number): SessionSummary => ({
    sessionId: `s${number}`,
    title: `Session ${number}`,
    project: demoProject.path,
    createdAt: 0,
    updatedAt: 0,
    state: number === 0 ? "running" : "done",
    pendingApprovals: 0,
    origin: null,
    parent: null,
    agent: "arki",
    pinned: false,
    archived: false,
  }),
);

async function open(): Promise<Fake> {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const fake = createFake({ sessions, logs: { s0: longLog("s0", 60) } });
  await renderOn(fake, <App />);
  await userEvent.click(screen.getByText("Session 0"));
  await waitFor(() => expect(drawn.answers.length).toBeGreaterThan(10));
  forget();
  return fake;
}

function forget() {
  drawn.answers = [];
  drawn.links.clear();
  drawn.sessions = 0;
}

const delta = (text: string) => ({
  sessionId: "s0",
  runId: "live",
  turn: 1,
  tokenType: "LLM_RESPONSE" as const,
  text,
});

/** Each word is a frame of its own. */
async function stream(fake: Fake, words: readonly string[]) {
  for (const word of words) {
    act(() => fake.send({ deltas: [delta(`${word} `)] }));
    await waitFor(() => expect(drawn.answers.at(-1)).toContain(word));
  }
}

describe("what is drawn anew", () => {
  beforeEach(forget);

  it("is the answer alone while it streams, whatever stands above it", async () => {
    const fake = await open();
    const words = ["one", "two", "three", "four", "five"];
    await stream(fake, words);
    expect(drawn.answers.filter((text) => !text.startsWith("one"))).toEqual([]);
    expect(drawn.answers.length).toBeLessThanOrEqual(2 * words.length);
    expect(drawn.sessions).toBe(0);
  });

  it("is nothing else when the run begins and ends, and of the answer nothing but its end", async () => {
    const log = eventLog("s0");
    for (const event of longLog("s0", 60)) log.events.push(event);
    const fake = await open();
    const happens = (event: Event) => act(() => fake.send({ events: [event] }));
    happens(log.add("run.started", { prompt: "Go on." }, "live"));
    await stream(fake, ["one", "two"]);
    happens(log.add("output.message", { role: "assistant", content: "one two ", turn: 1 }, "live"));
    happens(log.add("run.completed", { response: "one two " }, "live"));
    await waitFor(() => expect(document.querySelector("[role=log] [aria-busy=true]")).toBeNull());
    expect(drawn.answers.filter((text) => !text.startsWith("one"))).toEqual([]);
    // All of an answer is drawn anew where it gets another of these.
    expect(drawn.links.size).toBe(1);
  });

  it("is nothing of what was said while one types, also in the midst of an answer", async () => {
    const fake = await open();
    await stream(fake, ["one"]);
    forget();
    await userEvent.type(screen.getByLabelText("Message"), "Hello there");
    expect([drawn.answers, drawn.sessions]).toEqual([[], 0]);
  });

  it("is neither what was said nor the list of sessions when the palette opens and closes", async () => {
    await open();
    await userEvent.keyboard("{Control>}k{/Control}");
    await screen.findByPlaceholderText("Run a command, open a file, or search all sessions");
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(document.querySelector(".palette")).toBeNull());
    expect(drawn.answers).toEqual([]);
    // The palette's own six recent ones, drawn once more as it settles.
    expect(drawn.sessions).toBeLessThanOrEqual(12);
  });

  it("is one session of many when that one begins to work", async () => {
    const fake = await open();
    const { add } = eventLog("s7");
    act(() => fake.send({ events: [add("run.started", { prompt: "Go on." })] }));
    await waitFor(() => expect(drawn.sessions).toBeGreaterThan(0));
    expect(drawn.sessions).toBe(1);
    expect(drawn.answers).toEqual([]);
  });
});
