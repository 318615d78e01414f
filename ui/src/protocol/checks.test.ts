import { expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { lastRunEnd } from "./checks";

it("tells what the last run took, once it has ended", () => {
  const log = eventLog("s", 1000);
  log.add("run.started", { prompt: "go" }, "r", 0);
  expect(lastRunEnd(log.events)).toBeNull();
  log.add("run.completed", {}, "r", 0);
  const end = lastRunEnd(log.events);
  expect(end?.ms).toBeGreaterThanOrEqual(0);
  log.add("run.started", { prompt: "on" }, "q", 0);
  expect(lastRunEnd(log.events)).toBeNull();
});
