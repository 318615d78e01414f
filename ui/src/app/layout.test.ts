import { describe, expect, it } from "vitest";
import {
  conversationLeast,
  inspectorIn,
  inspectorWidth,
  railIn,
  reviewLeast,
  reviewWide,
  sidebarIn,
  sidebarWidth,
} from "./layout";

const wishes = [
  { sidebar: sidebarWidth[0], inspector: 320 },
  { sidebar: sidebarWidth[1], inspector: 547 },
  { sidebar: sidebarWidth[2], inspector: 960 },
  // Remembered by another version.
  { sidebar: 9999, inspector: 1 },
];
const windows = Array.from({ length: 1900 }, (_, more) => 720 + more);

/** What is left of the window for the conversation, with every column open. */
function conversation(window: number, wished: (typeof wishes)[number]): number {
  const sidebar = sidebarIn(window, wished);
  const beside = sidebar.floats ? 0 : sidebar.width;
  const inspector = inspectorIn(window, wished, beside);
  return window - beside - (inspector.floats ? 0 : inspector.width);
}

describe("the columns", () => {
  it("leave the conversation its room in every window, whatever was wished", () => {
    const narrow = wishes.flatMap((wished) =>
      windows.filter((window) => conversation(window, wished) < conversationLeast),
    );
    expect(narrow).toEqual([]);
  });

  it("give way in order: a narrower inspector, then a sheet, then a drawer", () => {
    const wished = { sidebar: 260, inspector: 547 };
    const at = (window: number) => {
      const sidebar = sidebarIn(window, wished);
      const inspector = inspectorIn(window, wished, sidebar.floats ? 0 : sidebar.width);
      return [sidebar.floats ? "drawer" : sidebar.width, inspector.floats ? "sheet" : inspector.width];
    };
    expect(at(1440)).toEqual([260, 547]);
    expect(at(1024)).toEqual([260, 344]);
    expect(at(1000)).toEqual([260, 320]);
    expect(at(999)).toEqual([260, "sheet"]);
    expect(at(680)).toEqual([260, "sheet"]);
    expect(at(679)).toEqual(["drawer", "sheet"]);
  });

  it("may be dragged no further than the conversation has room for", () => {
    const wished = { sidebar: 232, inspector: 547 };
    expect(inspectorIn(1024, wished, 232).most).toBe(1024 - 232 - conversationLeast);
    expect(sidebarIn(760, wished).most).toBe(760 - conversationLeast);
    expect(sidebarIn(2560, wished).most).toBe(sidebarWidth[2]);
  });

  it("stand beside a closed sidebar where they would not beside an open one", () => {
    const wished = { sidebar: 232, inspector: 440 };
    expect(inspectorIn(800, wished, 232).floats).toBe(true);
    expect(inspectorIn(800, wished, 0)).toMatchObject({ floats: false, width: 380 });
  });

  it("begin with what a reading column leaves of a wide window for the inspector, and never more than two sides of code need", () => {
    const windows = [1024, 1440, 1600, 1920, 2560];
    expect(windows.map((window) => inspectorWidth(window)[1])).toEqual([389, 548, 708, 1028, 1440]);
    expect(windows.map((window) => inspectorWidth(window, false)[1])).toEqual([389, 548, 560, 560, 560]);
  });

  it("leave the diff its room in review mode, whatever was wished for the conversation", () => {
    const narrow = windows
      .filter((window) => window >= reviewLeast)
      .flatMap((window) => [1, 360, 9999].map((wished) => window - railIn(window, wished, 0).width))
      .filter((diff) => diff < 480);
    expect(narrow).toEqual([]);
    expect(railIn(1440, 360, 0)).toMatchObject({ width: 360, floats: false });
  });

  it("have the sessions beside a review where two sides of 60 characters have room as well", () => {
    const wished = { sidebar: 232, inspector: 547 };
    expect(sidebarIn(1440, wished, reviewWide).floats).toBe(true);
    expect(sidebarIn(1920, wished, reviewWide)).toMatchObject({ floats: false, width: 232 });
  });
});
