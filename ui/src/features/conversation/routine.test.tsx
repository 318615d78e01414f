import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { nothingLive } from "../../protocol/live";
import { foldTranscript } from "../../protocol/transcript";
import { eventLog } from "../../testing/events";
import { render } from "../../testing/render";
import { Reads } from "./Reads";
import { foldedIn, rowsOf } from "./rows";

/** Calls of that many tools, each with a result unless it is "waiting". */
function transcriptOf(...calls: ("read" | "failed" | "write" | "waiting")[]) {
  const { events, add } = eventLog("s");
  add("run.started", { prompt: "x" });
  for (const [place, what] of calls.entries()) {
    const callId = `c${place}`;
    const category = what === "write" ? "write" : "read";
    add("tool.call", { callId, toolId: place === 0 ? "search_files" : "read_file", category });
    if (what !== "waiting") add("tool.result", { callId, isError: what === "failed" });
  }
  return foldTranscript(events);
}
function rows(transcript: ReturnType<typeof transcriptOf>, ...unfolded: string[]) {
  return rowsOf({
    transcript,
    live: nothingLive,
    standing: null,
    atEnd: true,
    unfolded: new Set(unfolded),
  }).map((row) => row.item);
}
const kinds = (transcript: ReturnType<typeof transcriptOf>) => rows(transcript).map((item) => item.kind);

describe("calls in a row that only read", () => {
  it("are one line from three on", () => {
    expect(kinds(transcriptOf("read", "read"))).toEqual(["user", "tool", "tool"]);
    const folded = rows(transcriptOf("read", "failed", "read", "read"));
    expect(folded).toMatchObject([
      { kind: "user" },
      { kind: "reads", calls: 4, failed: 1, tools: ["search_files", "read_file"], open: false },
    ]);
  });

  it("are broken by what changes something, and by what is not over", () => {
    expect(kinds(transcriptOf("read", "read", "write", "read"))).toEqual([
      "user",
      "tool",
      "tool",
      "tool",
      "tool",
    ]);
    expect(kinds(transcriptOf("read", "read", "read", "waiting"))).toEqual(["user", "reads", "tool"]);
  });

  it("unfold, and so do those in which something was found", () => {
    const transcript = transcriptOf("read", "read", "read");
    const call = transcript.items[2];
    const [, line] = rows(transcript);
    expect(foldedIn(transcript.items, call?.key ?? "")).toEqual([line?.key]);
    const unfolded = rows(transcript, line?.key ?? "");
    expect(unfolded.map((item) => item.kind)).toEqual(["user", "reads", "tool", "tool", "tool"]);
  });

  it("say how many they are and how many failed", async () => {
    const onToggle = vi.fn();
    const item = rows(transcriptOf("read", "failed", "read"))[1];
    if (item?.kind !== "reads") throw new Error("the calls are not folded");
    render(<Reads item={item} onToggle={onToggle} />);
    const line = screen.getByRole("button", { name: "3 reads, 1 failed search_files, read_file" });
    expect(line.getAttribute("aria-expanded")).toBe("false");
    await userEvent.click(line);
    expect(onToggle).toHaveBeenCalledOnce();
  });
});
