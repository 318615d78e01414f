import { clearMocks, mockIPC, mockWindows } from "@tauri-apps/api/mocks";
import { afterEach, expect, it, vi } from "vitest";
import type { Frame } from "../../protocol/generated";
import { tauriPlatform } from ".";

afterEach(() => {
  vi.useRealTimers();
  clearMocks();
});

const frame = {
  events: [],
  deltas: [],
  commandOutput: [],
  callsGrow: [],
  elicitationsChanged: false,
  missed: false,
};

it("hearing begins anew where the engine refuses a frame, and tells that some were missed", async () => {
  vi.useFakeTimers();
  mockWindows("main");
  const asked: string[] = [];
  let begun = 0;
  mockIPC((_command, args) => {
    const { name, params } = args as { name: string; params: { number: number } };
    asked.push(name);
    if (name === "begin_frames") {
      begun += 1;
      if (begun === 2) throw { code: "INTERNAL", message: "not now", hint: "" };
      return begun;
    }
    if (params.number === 1) throw { code: "INTERNAL", message: "lost", hint: "" };
    return asked.filter((one) => one === "next_frame").length > 2 ? null : frame;
  });
  const heard: Frame[] = [];
  await tauriPlatform.subscribe((one) => heard.push(one));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(begun).toBe(3);
  expect(heard.map(({ missed }) => missed)).toEqual([true, false]);
});
