import { describe, expect, it } from "vitest";
import { type Address, moved, type Place, stepped, type Trail } from "./trail";

const at = (sessionId: string | null): Address => ({ place: null, shown: { folder: "/code", sessionId } });
const of = (place: Place): Address => ({ place, shown: { folder: "/code", sessionId: null } });
const begun = (now: Address): Trail => ({ back: [], now, forward: [] });
const through = (...addresses: Address[]) => addresses.reduce(moved, begun(at(null)));
const all = () => true;

describe("the way back", () => {
  it("leads to where one was, and forward again", () => {
    const inSession = through(at("a"), of("inbox"), at("b"));
    const inInbox = stepped(inSession, -1, all);
    expect(inInbox?.now).toEqual(of("inbox"));
    const before = inInbox && stepped(inInbox, -1, all);
    expect(before?.now).toEqual(at("a"));
    expect(before && stepped(before, -1, all)).toBeNull();
    expect(before && stepped(before, 1, all)).toEqual(inInbox);
    expect(inInbox && stepped(inInbox, 1, all)).toEqual(inSession);
  });

  it("goes on elsewhere from where one came back to", () => {
    const back = stepped(through(at("a"), at("b")), -1, all);
    const on = back && moved(back, of("usage"));
    expect(on?.forward).toEqual([]);
    expect(on && stepped(on, -1, all)?.now).toEqual(at("a"));
  });

  it("passes over what is gone", () => {
    const trail = through(at("a"), at("gone"), of("memory"));
    const isThere = ({ shown }: Address) => shown?.sessionId !== "gone";
    expect(stepped(trail, -1, isThere)?.now).toEqual(at("a"));
  });

  it("comes back to a session that has not begun from a place alone", () => {
    expect(stepped(through(of("usage")), -1, all)?.now).toEqual(at(null));
    expect(stepped(through(at("a"), at(null), at("b")), -1, all)?.now).toEqual(at("a"));
  });

  it("does not grow without end", () => {
    const many = Array.from({ length: 1000 }, (_, number) => at(`${number}`));
    expect(through(...many).back.length).toBe(100);
  });
});
