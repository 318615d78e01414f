import { describe, expect, it } from "vitest";
import { exitCode, isPassedCheck } from "../../protocol/checks";
import { maxOutputChars } from "../../protocol/live";
import type { ToolItem } from "../../protocol/transcript";
import { foldTranscript } from "../../testing/conversation_fold";
import { eventLog } from "../../testing/events";
import { outputSoFar, previewOf, withoutEnding } from "./preview";

function called(
  category: "read" | "exec",
  result: string,
  isError = false,
  styles: [number, number, string][] = [],
): ToolItem {
  const { events, add } = eventLog("s");
  add("tool.call", { callId: "c", toolId: "t", args: {}, category });
  add("tool.result", { callId: "c", result, isError, styles });
  const item = foldTranscript(events).items[0];
  if (item?.kind !== "tool") throw new Error("no call");
  return item;
}

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");

describe("a closed card", () => {
  it("shows the first lines of what a command printed, and says how many there are besides", () => {
    const preview = previewOf(called("exec", `exit code 0\n${lines(10)}\n\n`));
    expect(preview).toEqual({ lines: ["line 1", "line 2", "line 3"], hidden: 7, before: false });
    expect(previewOf(called("exec", `exit code 0\n${lines(4)}`))?.hidden).toBe(0);
  });

  it("shows the last lines of what failed, and its exit code", () => {
    const failed = called("exec", `exit code 101\n${lines(10)}`, true);
    expect(previewOf(failed)).toEqual({ lines: ["line 8", "line 9", "line 10"], hidden: 7, before: true });
    expect(exitCode(failed)).toBe(101);
    expect(previewOf(called("read", "There is no such file.", true))?.lines).toEqual([
      "There is no such file.",
    ]);
  });

  it("shows nothing of what was only read, or where nothing was printed", () => {
    expect(previewOf(called("read", lines(10)))).toBeNull();
    expect(previewOf(called("exec", "exit code 0\n"))).toBeNull();
    expect(exitCode(called("read", "exit code 3"))).toBeNull();
  });

  it("shows the command's colours, and counts the lines in which something is seen", () => {
    const preview = previewOf(called("exec", "exit code 0\n \nred\n", false, [[12, 17, "31"]]));
    expect(preview).toEqual({ lines: ["\u001b[31mred\u001b[0m"], hidden: 0, before: false });
  });

  it("cuts a line that is endless", () => {
    expect(previewOf(called("exec", `exit code 0\n${"x".repeat(1e6)}`))?.lines[0]).toHaveLength(400);
  });
});

describe("the output so far", () => {
  it("begins with a whole line where its beginning is lost", () => {
    expect(outputSoFar("1;31mred\nblue")).toBe("1;31mred\nblue");
    const rest = "x".repeat(maxOutputChars - 9);
    expect(outputSoFar(`1;31mred\n${rest}`)).toBe(rest);
  });
});

describe("a check that passed", () => {
  const ran = (command: string, result = "exit code 0\nrunning 1 test\n", isError = false) => ({
    ...called("exec", result, isError),
    args: { command },
  });

  it("is one line, without what it printed", () => {
    for (const command of [
      "cargo test --workspace",
      "cd ui && npm run lint && npx tsc --noEmit",
      "pytest -q",
    ]) {
      expect(isPassedCheck(ran(command)), command).toBe(true);
      expect(previewOf(ran(command))).toBeNull();
    }
  });

  it("is none where it failed, does something else, or could have failed unseen", () => {
    expect(isPassedCheck(ran("cargo test", "exit code 1\n", true))).toBe(false);
    for (const command of [
      "cargo run",
      "cargo test-all",
      "cargo test || true",
      "cargo test | tail -3",
      "cd x",
    ])
      expect(isPassedCheck(ran(command)), command).toBe(false);
    expect(previewOf(ran("cargo run"))?.lines).toEqual(["running 1 test"]);
  });

  it("says how it ended once", () => {
    expect(withoutEnding(ran("cargo run"))).toBe("running 1 test\n");
    expect(withoutEnding(called("read", "exit code 0\n"))).toBe("exit code 0\n");
  });
});
