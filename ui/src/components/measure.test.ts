import { expect, it } from "vitest";
import { measured, measuredFigure, measureOf } from "./measure";

it("numbers are shown in the largest unit that leaves no fraction", () => {
  expect([7200, 1800, 90, 0].map((value) => measured(value, "seconds"))).toEqual([
    "2 h",
    "30 min",
    "90 s",
    "0 s",
  ]);
  expect([65_536, 1000].map((value) => measured(value, "bytes"))).toEqual(["64 KB", "1000 B"]);
  expect([1_572_864, 1_310_720].map((value) => measured(value, "bytes"))).toEqual(["1.5 MB", "1280 KB"]);
  expect([1024, 256].map((value) => measured(value, "megabytes"))).toEqual(["1 GB", "256 MB"]);
});

it("the name of a setting says what it counts", () => {
  const names = [
    "limits.maxSeconds",
    "limits.maxToolOutputBytes",
    "retention.maxImageMegabytes",
    "limits.maxTurns",
  ];
  expect(names.map(measureOf)).toEqual(["seconds", "bytes", "megabytes", undefined]);
});

it("what is typed is read with its unit, or in the setting's own", () => {
  const seconds = ["30 min", "1.5h", "90", "45 Sekunden", "2 Std."].map((typed) =>
    measuredFigure(typed, "seconds"),
  );
  expect(seconds).toEqual(["1800", "5400", "90", "45", "7200"]);
  expect(["64 KB", "64kib", "1 MB"].map((typed) => measuredFigure(typed, "bytes"))).toEqual([
    "65536",
    "65536",
    "1048576",
  ]);
  expect(["2 GB", "512"].map((typed) => measuredFigure(typed, "megabytes"))).toEqual(["2048", "512"]);
});

it("what is shown is read as what it was", () => {
  for (const value of [1, 59, 61, 120, 3600, 5400, 86_400])
    expect(measuredFigure(measured(value, "seconds"), "seconds")).toBe(`${value}`);
});

it("what is no measure stays as it was typed", () => {
  for (const typed of ["", "soon", "5 miles", "1 2", "1.2.3 s"])
    expect(measuredFigure(typed, "seconds")).toBe(typed);
});
