import { describe, expect, it } from "vitest";
import { eventLog } from "../../testing/events";
import { artifactsOf, beganAt, eventsOf } from "./step_log";

function log() {
  const { events, add } = eventLog("s");
  add("step.started", { step: "each", items: 2 });
  add("step.started", { step: "each[0]" });
  add("step.completed", { step: "each[0]", outputHash: "h0" });
  add("step.started", { step: "eacher" });
  add("step.completed", { step: "eacher", outputHash: "h1" });
  add("artifact.emitted", { artifactId: "a1", name: "report.md", contentHash: "h1" });
  add("step.started", { step: "eacher" }, "another run");
  return events;
}

describe("what events tell of a step", () => {
  it("has the step's items with it, and no other step whose name begins alike", () => {
    expect(eventsOf(log(), "run-s", "each").map(({ payload }) => payload.step)).toEqual([
      "each",
      "each[0]",
      "each[0]",
    ]);
  });

  it("says when the attempt in progress began", () => {
    const events = log();
    expect(beganAt(events, "run-s", "each")).toBe(events[0]?.ts);
    expect(beganAt(events, "run-s", "eacher")).toBeNull();
    expect(beganAt(events, "run-s", "none")).toBeNull();
  });

  it("finds the artifact that is the step's output", () => {
    expect(artifactsOf(log(), "run-s", "eacher").map(({ name }) => name)).toEqual(["report.md"]);
    expect(artifactsOf(log(), "run-s", "each")).toEqual([]);
  });
});
