import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetDrafts, isText, storedDrafts } from "./drafts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const written = () => vi.advanceTimersByTime(1_000);
const again = () => storedDrafts("test", isText);

describe("drafts that are stored", () => {
  it("are there when the window is opened again, until they are sent", () => {
    const drafts = again();
    drafts.set("a", "words");
    written();
    expect(again().get("a")).toBe("words");
    drafts.delete("a");
    written();
    expect(again().get("a")).toBeUndefined();
  });

  it("are written as the page goes, without waiting", () => {
    again().set("a", "words");
    dispatchEvent(new Event("pagehide"));
    expect(again().get("a")).toBe("words");
  });

  it("that are damaged or of another shape are none", () => {
    localStorage.setItem("arki.draft.test.a", '{"at":1,"draft":7}');
    localStorage.setItem("arki.draft.test.b", "{");
    localStorage.setItem("arki.draft.test.c", "null");
    expect(["a", "b", "c"].map((id) => again().get(id))).toEqual([undefined, undefined, undefined]);
  });

  it("that may hold a secret are not written, nor is an older one left in their place", () => {
    const drafts = again();
    drafts.set("a", "my key is");
    written();
    drafts.set("a", "my key is abcdefgh12345678ijkl");
    written();
    expect([drafts.get("a"), again().get("a")]).toEqual(["my key is abcdefgh12345678ijkl", undefined]);
    drafts.set("b", "a_long_name_without_any_number, and 123456789012345678901234");
    written();
    expect(again().get("b")).toContain("a_long_name");
  });

  it("of a session that was removed are gone", () => {
    again().set("s", "words");
    written();
    forgetDrafts("s");
    expect(again().get("s")).toBeUndefined();
  });

  it("are the twenty that were written last, and too long ones are not among them", () => {
    const drafts = again();
    for (let at = 0; at < 60; at += 1) {
      drafts.set(`${at}`, "words");
      written();
    }
    drafts.set("59", "x".repeat(300_000));
    written();
    expect(drafts.get("59")).toHaveLength(300_000);
    const next = again();
    expect([next.get("9"), next.get("50"), next.get("59")]).toEqual([undefined, "words", undefined]);
  });
});
