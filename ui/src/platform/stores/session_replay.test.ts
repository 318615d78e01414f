import { waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { pageSize } from "../../protocol/window";
import { eventLog } from "../../testing/events";
import type { Answer, Platform } from "../platform";
import { openSession } from "./session_view";

type Page = Answer<"session_page">;

/** A session whose pages come when the test lets them. */
function slow(count: number) {
  const log = eventLog("s");
  for (let at = 1; at <= count; at += 1) log.add("output.message", {});
  const waiting: (() => void)[] = [];
  const call = (name: string, params: { beforeSeq: number | null }) => {
    if (name !== "session_page") return Promise.reject(new Error(name));
    const before = log.events.filter(({ seq }) => params.beforeSeq === null || seq < params.beforeSeq);
    const page: Page = { events: before.slice(-pageSize), hasMore: before.length > pageSize, partial: null };
    return new Promise<Page>((resolve) => waiting.push(() => resolve(page)));
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
