import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { eventLog, untoldUsage } from "../testing/events";
import { createFake } from "../testing/fake";
import { renderOn, sent } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

const session = sessionOf({ state: "done" });

async function open() {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const log = eventLog("s");
  log.add("run.started", { prompt: "first" });
  log.add("engine.response", {
    usage: { ...untoldUsage, promptTokens: 1200, completionTokens: 34, costUsd: 0 },
  });
  log.add("file.changed", { path: "a.rs", callId: "c" });
  const fake = createFake({ sessions: [session], logs: { s: log.events } });
  await renderOn(fake, <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  const box = () => document.querySelector("textarea") as HTMLTextAreaElement;
  const type = async (words: string) => {
    await userEvent.type(box(), words);
    await userEvent.keyboard("{Escape}{Enter}");
    await waitFor(() => expect(box().value).not.toBe(words));
  };
  return { fake, box, type };
}

describe("a command of the window's own", () => {
  it("is carried out here, and not sent to the model", async () => {
    const { fake, type } = await open();
    await type("/context");
    await waitFor(() =>
      expect(screen.getByRole("tab", { name: "Context" }).getAttribute("aria-selected")).toBe("true"),
    );
    await type("/rename Better");
    expect(await screen.findByRole("button", { name: "Better" })).toBeTruthy();
    await type("/usage");
    expect(await screen.findByText(/^1 request: 1,200 in, 34 out/)).toBeTruthy();
    await type("/plan");
    expect(await screen.findByRole("button", { name: "Mode: Plan only" })).toBeTruthy();
    expect(sent(fake, "send_message")).toEqual([]);
  });

  it("asks before it changes anything", async () => {
    const { fake, type } = await open();
    await type("/compact the parser");
    const compact = await screen.findByRole("dialog", { name: "Compact this conversation" });
    expect(within(compact).getByRole<HTMLInputElement>("textbox").value).toBe("the parser");
    await userEvent.keyboard("{Escape}");
    await type("/undo");
    expect(await screen.findByRole("dialog")).toBeTruthy();
    expect([sent(fake, "compact_session"), sent(fake, "take_back")]).toEqual([[], []]);
  });

  it("opens the menu for help, and leaves everything else to the engine", async () => {
    const { fake, type, box } = await open();
    await type("/help");
    await waitFor(() => expect(box().value).toBe("/"));
    await userEvent.clear(box());
    await type("/plan the move");
    await type("/constructor x");
    expect(sent(fake, "send_message").map((one) => (one as { text: string }).text)).toEqual([
      "/plan the move",
      "/constructor x",
    ]);
  });
});
