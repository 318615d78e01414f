import { waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { eventLog } from "../../testing/events";
import { fakeConversations } from "../../testing/fake_conversations";
import type { Params, Platform } from "../platform";
import { openSession } from "./session_view";

/** A session whose pages come when the test lets them. */
function slow(count: number) {
  const log = eventLog("s");
  for (let at = 1; at <= count; at += 1) log.add("output.message", {});
  const waiting: (() => void)[] = [];
  const { page, open, hold } = fakeConversations({ s: log.events });
  const answerTo = (name: string, params: Params<"session_page"> & Params<"hold_conversation">) => {
    if (name === "session_page") return page(params);
    if (name === "open_conversation") return open("s", page({ ...params, beforeSeq: null }));
    throw new Error(name);
  };
  const call = (name: string, params: Params<"session_page"> & Params<"hold_conversation">) => {
    if (name === "hold_conversation") return Promise.resolve(hold(params));
    return new Promise((resolve) => waiting.push(() => resolve(answerTo(name, params))));
  };
  const session = openSession({ call } as unknown as Platform, "s", () => 0);
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  return {
    session,
    /** Answers what was asked, in this order. */
    answer: async (...order: number[]) => {
      await waitFor(() => expect(waiting).toHaveLength(order.length));
      const asked = waiting.splice(0);
      for (const place of order) asked[place]?.();
      await settle();
    },
  };
}

const seqs = (session: ReturnType<typeof slow>["session"]) =>
  session.view.get().window.events.map(({ seq }) => seq);

describe("a replay", () => {
  it("is not overwritten by a load that was on its way", async () => {
    const { session, answer } = slow(500);
    void session.load();
    void session.replayTo(320);
    await answer(1, 0);
    expect(session.view.get().replay?.seq).toBe(320);
    expect(seqs(session).at(-1)).toBe(320);
  });

  it("has no hole where an older page was on its way while the slider moved", async () => {
    const { session, answer } = slow(3000);
    void session.replayTo(300);
    await answer(0);
    await answer(0);
    void session.loadOlder();
    void session.replayTo(1500);
    await answer(1, 0);
    const shown = seqs(session);
    expect(shown.at(-1)).toBe(1500);
    expect(shown.every((seq, at) => at === 0 || seq === (shown[at - 1] ?? 0) + 1)).toBe(true);
    expect(session.view.get().fetching).toBeNull();
  });

  it("takes one step for each that was asked for, and the end comes back after it", async () => {
    const { session, answer } = slow(100);
    void session.replayTo(10);
    await answer(0);
    await Promise.all([session.replayStep(1), session.replayStep(1), session.replayStep(1)]);
    expect(session.view.get().replay?.seq).toBe(13);
    void session.replayTo(null);
    await answer(0);
    expect(session.view.get().replay).toBeNull();
    expect(seqs(session).at(-1)).toBe(100);
  });
});
