import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { SearchHit } from "../../protocol/generated";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { FindBar } from "./FindBar";

const hit = (seq: number, type = "output.message"): SearchHit => ({
  sessionId: "s",
  seq,
  type,
  ts: 0,
  title: "One",
  project: "/p",
  snippet: [
    { text: "the ", hit: false },
    { text: `parser ${seq}`, hit: true },
  ],
});

async function shown(hits: SearchHit[] | (() => never)) {
  const does = { onShow: vi.fn(), onNone: vi.fn(), onClose: vi.fn() };
  const search = typeof hits === "function" ? hits : () => hits;
  const fake = createFake({ handlers: { find_in_session: search } });
  await renderOn(fake, <FindBar sessionId="s" asked={1} {...does} />);
  return { ...does, fake, field: screen.getByRole("searchbox", { name: "Find in this session" }) };
}
const counted = (words: string) => waitFor(() => expect(screen.getByRole("status").textContent).toBe(words));

describe("finding in a session", () => {
  it("searches the whole session once one pauses, and shows the newest place first", async () => {
    const { fake, field, onShow } = await shown([hit(9), hit(5), hit(2)]);
    await waitFor(() => expect(document.activeElement).toBe(field));
    await userEvent.type(field, "pars");
    await counted("3 of 3");
    expect(sent(fake, "find_in_session").at(-1)).toEqual({ sessionId: "s", text: "pars", limit: 1_000 });
    await waitFor(() => expect(onShow).toHaveBeenLastCalledWith(9, "pars"));
    expect(screen.getByText("parser 9").tagName).toBe("MARK");
  });

  it("goes up with Enter and down with Shift+Enter, round and round, and the field keeps the focus", async () => {
    const { field, onShow } = await shown([hit(9), hit(5), hit(2)]);
    await userEvent.type(field, "parser");
    await counted("3 of 3");
    await userEvent.keyboard("{Enter}");
    await counted("2 of 3");
    await userEvent.keyboard("{ArrowUp}{Enter}");
    await counted("3 of 3");
    await userEvent.keyboard("{Shift>}{Enter}{/Shift}");
    await counted("1 of 3");
    await waitFor(() => expect(onShow.mock.calls.map(([seq]) => seq)).toEqual([9, 5, 2, 9, 2]));
    await waitFor(() => expect(document.activeElement).toBe(field));
    await userEvent.click(screen.getByRole("button", { name: "Next match" }));
    await counted("2 of 3");
  });

  it("leaves out what only repeats a place", async () => {
    const { field, onShow } = await shown([hit(9, "run.completed"), hit(8), hit(1, "session.created")]);
    await userEvent.type(field, "parser");
    await counted("1 of 1");
    await waitFor(() => expect(onShow).toHaveBeenCalledExactlyOnceWith(8, "parser"));
  });

  it("says when there is nothing, and when there is more than is told", async () => {
    const none = await shown([]);
    await userEvent.type(none.field, " ");
    await counted("");
    await userEvent.type(none.field, "x");
    await counted("No matches");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Next match" }).disabled).toBe(true);
    expect(none.onShow).not.toHaveBeenCalled();
  });

  it("tells of older places than the engine lists", async () => {
    const { field } = await shown(Array.from({ length: 1_000 }, (_, place) => hit(2_000 - place)));
    await userEvent.type(field, "parser");
    await counted("1000 of the newest 1000");
  });

  it("closes with Escape, and says why it can't search", async () => {
    const { field, onClose } = await shown(() => fail("STORE", "The database can't be read."));
    await userEvent.type(field, '"a phrase');
    expect(await screen.findByText("The database can't be read.")).toBeTruthy();
    await userEvent.keyboard("{Escape}");
    expect(onClose).toHaveBeenCalledOnce();
  });
});
