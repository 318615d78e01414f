import { expect, it } from "vitest";
import { eventLog } from "../../testing/events";
import { summary } from "./summary";

it("says which hook ran and what it had to say", () => {
  const log = eventLog("s");
  const ran = { hook: "cargo fmt", command: "cargo fmt", durationMs: 3 };
  expect(summary(log.add("hook.ran", ran))).toBe("cargo fmt");
  const said = { ...ran, outcome: "blocked" as const, said: "Not on main.\nReally." };
  expect(summary(log.add("hook.ran", said))).toBe("cargo fmt · Not on main.");
});
