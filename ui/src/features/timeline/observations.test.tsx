import { act, cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Observation } from "../../protocol/generated";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { maxObservations, patienceMs } from "./Observations";
import { Timeline } from "./Timeline";

afterEach(() => {
  vi.useRealTimers();
});

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
async function shown(...failing: string[]) {
  const waiting: ((answer: Answered) => void)[] = [];
  const errors = [...failing];
  let begun = 0;
  const fake = createFake({
    logs: { s: [] },
    handlers: {
      begin_observations: () => {
        const error = errors.shift();
        return error === undefined ? ++begun : fail("DB_BUSY", error);
      },
      next_observations: () => new Promise<Answered>((tell) => waiting.push(tell)) as never,
    },
  });
  const onShow = vi.fn();
  await renderOn(fake, <Timeline sessionId="s" onShow={onShow} onFork={vi.fn()} onSent={vi.fn()} />);
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
  await screen.findByText("Looking for observations…");
  expect(sent(fake, "begin_observations").at(-1)?.filter.types).toEqual(["PLAN"]);
  expect(sent(fake, "end_observations")).toEqual([{ number: 1 }]);
  cleanup();
  await waitFor(() => expect(sent(fake, "end_observations").at(-1)).toEqual({ number: 2 }));
});

it("says that there are none only after looking for them", async () => {
  const { tell, choose } = await shown();
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await choose("Error");
  expect(screen.getByText("Looking for observations…")).toBeTruthy();
  expect(screen.queryByText("0 observations")).toBeNull();
  act(() => vi.advanceTimersByTime(patienceMs));
  expect(screen.getByText("No matching observations.")).toBeTruthy();
  expect(screen.getByText("0 observations")).toBeTruthy();
  await tell([seen(1, "ERROR", "Failed")]);
  expect(await screen.findByText("1 observation")).toBeTruthy();
});

it("says of a long session that these are the newest", async () => {
  const { tell, choose } = await shown();
  await choose("All observations");
  await tell(Array.from({ length: maxObservations }, (_, n) => seen(n, "PLAN", `Plan ${n}`)));
  expect(await screen.findByText("2,000 observations")).toBeTruthy();
  await tell([seen(maxObservations, "INTENT", "Asked: go")]);
  expect(await screen.findByText("The newest 2,000 observations")).toBeTruthy();
  await userEvent.click(screen.getByRole("searchbox"));
  await userEvent.paste("plan 0");
  expect(await screen.findByText("0 of the newest 2,000 observations")).toBeTruthy();
});

it("asks no more once there will be none", async () => {
  const { fake, tell, choose } = await shown();
  await choose("All observations");
  await tell(null);
  expect(await screen.findByText("No matching observations.")).toBeTruthy();
  expect(sent(fake, "next_observations")).toHaveLength(1);
  expect(sent(fake, "end_observations")).toEqual([{ number: 1 }]);
});

it("ends what begins only after nobody looks any more", async () => {
  let begin: (number: number) => void = () => {};
  const begin_observations = () => new Promise<number>((begun) => (begin = begun)) as never;
  const fake = createFake({
    logs: { s: [] },
    handlers: { begin_observations, end_observations: () => null },
  });
  await renderOn(fake, <Timeline sessionId="s" onShow={vi.fn()} onFork={vi.fn()} onSent={vi.fn()} />);
  await userEvent.selectOptions(screen.getByRole("combobox"), "All observations");
  cleanup();
  expect(sent(fake, "end_observations")).toEqual([]);
  await act(async () => begin(7));
  expect(sent(fake, "end_observations")).toEqual([{ number: 7 }]);
  expect(sent(fake, "next_observations")).toEqual([]);
});

it("says what failed, and tries again", async () => {
  const { tell, choose } = await shown("The database is busy.");
  await choose("All observations");
  expect(await screen.findByText("The database is busy.")).toBeTruthy();
  expect(screen.queryByText("No matching observations.")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  await tell([seen(1, "INTENT", "Asked: go")]);
  expect(await screen.findByText("1 observation")).toBeTruthy();
  expect(screen.queryByText("The database is busy.")).toBeNull();
});
