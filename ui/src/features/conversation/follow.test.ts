import { describe, expect, it } from "vitest";
import { deltaStep, nothingLive } from "../../protocol/live";
import { emptyTranscript } from "../../protocol/transcript";
import { follows } from "./follow";
import { rowsOf } from "./rows";
import { mainArgument } from "./tool_words";

const at = (top: number, height: number, view = 500) => ({ top, height, view });

describe("following the end", () => {
  it("goes on while the content grows below", () => {
    expect(follows(true, at(500, 1000), at(500, 1400))).toBe(true);
  });
  it("ends when the reader scrolls up, and begins again at the end", () => {
    expect(follows(true, at(500, 1000), at(300, 1000))).toBe(false);
    expect(follows(false, at(300, 1000), at(480, 1000))).toBe(true);
  });
  it("never begins by itself because something arrives", () => {
    expect(follows(false, at(300, 1000), at(300, 1400))).toBe(false);
  });
  it("is not ended by rows that turn out smaller than estimated", () => {
    expect(follows(true, at(1500, 2400), at(1300, 2200))).toBe(true);
  });
});

describe("rows", () => {
  it("put the answer under way at the end, but not under an older page", () => {
    const live = deltaStep(
      nothingLive,
      { sessionId: "s", runId: "r", turn: 1, tokenType: "LLM_RESPONSE", text: "Hi" },
      0,
    );
    expect(rowsOf(emptyTranscript, live, true)).toMatchObject([
      { streaming: true, speaker: true, item: { text: "Hi" } },
    ]);
    expect(rowsOf(emptyTranscript, live, false)).toEqual([]);
  });
});

describe("mainArgument", () => {
  it("is what the call is about", () => {
    expect(mainArgument({ pattern: "Widget", glob: "*.rs" })).toBe('"Widget"');
    expect(mainArgument({ command: "a\nb" })).toBe("a …");
    expect(mainArgument({ patch: "*** Update File: x.rs\n*** Add File: y.rs" })).toBe("x.rs, y.rs");
    expect(mainArgument(null)).toBe("");
  });
});
