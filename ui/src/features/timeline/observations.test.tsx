import { act, cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Observation } from "../../protocol/generated";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { Timeline } from "./Timeline";

type Answered = readonly Observation[] | null;

const seen = (seq: number, type: Observation["type"], title: string): Observation => ({
  id: `e${seq}:${type}`,
  threadId: "s",
  traceId: "r",
  timestamp: seq * 1000,
  type,
  title,
  content: { step: seq },
  metadata: { eventType: "tool.call", seq },
});

/** A timeline on an engine that answers when it is told to. */
async function shown() {
  const waiting: ((answer: Answered) => void)[] = [];
  let begun = 0;
  const fake = createFake({
    logs: { s: [] },
    handlers: {
      begin_observations: () => ++begun,
      next_observations: () => new Promise<Answered>((tell) => waiting.push(tell)) as never,
    },
  });
  const onShow = vi.fn();
  await renderOn(fake, <Timeline sessionId="s" onShow={onShow} onFork={vi.fn()} />);
  const tell = async (answer: Answered) => {
    await waitFor(() => expect(waiting.length).toBe(1));
    await act(async () => waiting.shift()?.(answer));
  };
  const choose = (what: string) =>
    userEvent.selectOptions(screen.getByRole("combobox", { name: "Kind of event" }), what);
  return { fake, onShow, tell, choose };
}

it("tells a session's observations: those of the past, then each as it comes", async () => {
  const { fake, onShow, tell, choose } = await shown();
  await choose("All observations");
  const filter = { types: [], sessionId: "s", since: null, until: null };
  expect(sent(fake, "begin_observations")).toEqual([{ filter }]);
  await tell([seen(1, "INTENT", "Asked: go")]);
  await tell([seen(2, "TOOL_CALL", "Read a.rs")]);
  expect(await screen.findByText("2 observations")).toBeTruthy();
  await userEvent.type(screen.getByRole("searchbox"), "read");
  expect(await screen.findByText("1 observation")).toBeTruthy();
  const entry = await screen.findByRole("button", { name: /Tool call.*Read a.rs/ });
  await userEvent.click(entry);
  await userEvent.click(screen.getByRole("button", { name: "Show in transcript" }));
  expect(onShow).toHaveBeenCalledExactlyOnceWith(2);
});

it("asks for one type anew, and lets go of what is no longer shown", async () => {
  const { fake, tell, choose } = await shown();
  await choose("All observations");
  await tell([seen(1, "INTENT", "Asked: go")]);
  await choose("Plan");
  await screen.findByText("0 observations");
  expect(sent(fake, "begin_observations").at(-1)?.filter.types).toEqual(["PLAN"]);
  expect(sent(fake, "end_observations")).toEqual([{ number: 1 }]);
  cleanup();
  await waitFor(() => expect(sent(fake, "end_observations").at(-1)).toEqual({ number: 2 }));
});

it("says why there are none", async () => {
  const refuse = () => fail("SESSION_NOT_FOUND", "There is no session s.", "Choose another one.");
  const fake = createFake({ logs: { s: [] }, handlers: { begin_observations: refuse } });
  await renderOn(fake, <Timeline sessionId="s" onShow={vi.fn()} onFork={vi.fn()} />);
  await userEvent.selectOptions(screen.getByRole("combobox"), "All observations");
  expect(await screen.findByText("There is no session s.")).toBeTruthy();
});
