import { describe, expect, it } from "vitest";
import type { Scale } from "./layout";
import type { Span } from "./spans";
import { centerOf, fit, moved, movedBy, viewOf, zoomed } from "./time_view";
import { timesOn } from "./WaterfallAxis";

const start = new Date(2026, 10, 21, 9, 30).getTime();
const scaleOf = (length: number): Scale => ({ from: start, to: start + length, length, pauses: [] });
const scale = scaleOf(8000);

describe("the part of the time that is shown", () => {
  it("stays around its middle, or around what is looked at", () => {
    expect(viewOf(scale, zoomed(fit, 2, scale))).toEqual({ from: 2000, length: 4000 });
    expect(viewOf(scale, zoomed(fit, 4, scale, 7000))).toEqual({ from: 6000, length: 2000 });
  });

  it("ends where the time does, and no nearer than the log tells", () => {
    expect(viewOf(scale, zoomed(fit, 4, scale, 8000))).toEqual({ from: 6000, length: 2000 });
    expect(viewOf(scale, zoomed(fit, 1e9, scale)).length).toBe(20);
    expect(zoomed(zoomed(fit, 2, scale, 1234.5), 0.1, scale)).toBe(fit);
    expect(zoomed(zoomed(fit, 2, scale, 1234.5), 0.5, scale)).toBe(fit);
  });

  it("is moved to a share of the way", () => {
    const zoom = zoomed(fit, 4, scale);
    expect(viewOf(scale, moved(zoom, scale, 0))).toEqual({ from: 0, length: 2000 });
    expect(viewOf(scale, moved(zoom, scale, 0.5)).from).toBe(3000);
    expect(movedBy(moved(zoom, scale, 1), scale)).toBe(1);
  });

  it("stays where it is while the run grows", () => {
    const zoom = zoomed(fit, 4, scale, 2000);
    expect(viewOf(scaleOf(16_000), zoom)).toEqual(viewOf(scale, zoom));
    // A pause that comes later is drawn short: it moves nothing before it.
    const later = { from: start + 8000, to: start + 3_608_000, at: 8000, drawn: 500 };
    const grown = { ...scaleOf(12_000), to: start + 3_611_500, pauses: [later] };
    expect(viewOf(grown, zoom)).toEqual(viewOf(scale, zoom));
  });

  it("is the end of what is loaded where its own time is not", () => {
    const before = { from: start - 5000, to: start - 4000 };
    expect(viewOf(scale, before)).toEqual({ from: 0, length: 20 });
    expect(viewOf(scaleOf(1), before)).toEqual({ from: 0, length: 1 });
  });
});

describe("what is brought nearer for a row", () => {
  const pause = { from: start + 1000, to: start + 3_601_000, at: 1000, drawn: 400 };
  const paused = { from: start, to: start + 3_602_000, length: 2400, pauses: [pause] };
  const spanOf = (...pieces: Span["pieces"]) => {
    const [from = 0, to = 0] = [pieces[0]?.from, pieces.at(-1)?.to];
    return { from, to, pieces } as Span;
  };
  const piece = (from: number, to: number, look: "work" | "wait" = "work") => ({
    from: start + from,
    to: start + to,
    look,
  });

  it("is its work, wherever most of its time went", () => {
    const edit = spanOf(piece(900, 3_601_100, "wait"), piece(3_601_100, 3_601_300));
    expect(centerOf(paused, edit, fit)).toBe(1600);
    expect(centerOf(paused, spanOf(piece(0, 3_601_100)), fit)).toBe(1450);
  });

  it("is the work that is nearest to what is shown", () => {
    const run = spanOf(piece(0, 600), piece(600, 3_601_000, "wait"), piece(3_601_000, 3_602_000));
    expect(centerOf(paused, run, { from: start, to: start + 600 })).toBe(300);
    expect(centerOf(paused, run, { from: start + 3_601_500, to: start + 3_602_000 })).toBe(1900);
  });

  it("is its own middle as it is drawn where it only waits, or took no time", () => {
    expect(centerOf(paused, spanOf(piece(1000, 3_601_000, "wait")), fit)).toBe(1200);
    expect(centerOf(paused, spanOf(piece(700, 700)), fit)).toBe(700);
  });
});

describe("the times on the axis", () => {
  const words = (view: { from: number; length: number }, of = scale) =>
    timesOn(of, view).map((time) => time.words);

  it("are told by the clock", () => {
    expect(words({ from: 0, length: 30_000 }, scaleOf(30_000))).toEqual(["09:30:00", "09:30:10", "09:30:20"]);
  });

  it("are told from the first one on where the clock would say the same three times", () => {
    expect(words({ from: 1000, length: 120 })).toEqual(["09:30:01", "+40 ms", "+80 ms"]);
    expect(words({ from: 0, length: 6000 })).toEqual(["09:30:00", "+2 s", "+4 s"]);
  });

  it("are told by the clock where a pause is between them", () => {
    const pause = { from: start + 400, to: start + 3_600_400, at: 400, drawn: 500 };
    const paused = { from: start, to: start + 3_602_500, length: 3000, pauses: [pause] };
    expect(words({ from: 0, length: 3000 }, paused)).toEqual(["09:30:00", "10:30:00", "10:30:01"]);
  });
});
