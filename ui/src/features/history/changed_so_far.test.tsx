import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { eventLog } from "../../testing/events";
import { createFake } from "../../testing/fake";
import { renderOn } from "../../testing/render";
import { sessionOf } from "../../testing/sessions";
import { ChangedBySubagents, ChangedSoFar } from "./ChangedSoFar";

it("names the files that a run and its agents have changed so far, and leads to who wrote them", async () => {
  const [run, agent] = [eventLog("run"), eventLog("agent")];
  const changed = { callId: "c", beforeHash: null, afterHash: null, diff: "" };
  run.add("file.changed", { ...changed, path: "notes.md" });
  agent.add("file.changed", { ...changed, path: "src/app.rs" });
  agent.add("file.changed", { ...changed, path: "src/app.rs" });
  const sessions = [sessionOf({ sessionId: "run" }), sessionOf({ sessionId: "agent", parent: "run" })];
  const onLines = vi.fn();
  const fake = createFake({ sessions, logs: { run: run.events, agent: agent.events } });
  await renderOn(
    fake,
    <ChangedSoFar sessionId="run" onLines={onLines} onEditor={() => undefined} onReveal={() => undefined} />,
  );
  const files = within(await screen.findByRole("list", { name: "Files changed so far" }));
  expect(files.getAllByRole("listitem").map((one) => one.textContent)).toEqual([
    "notes.md1 change",
    "src/app.rs2 changes",
  ]);
  await userEvent.click(files.getByRole("button", { name: "Who wrote this: src/app.rs" }));
  expect(onLines).toHaveBeenCalledExactlyOnceWith("agent", "src/app.rs");
});

it("names beside a result what sub-agents changed in the same folder", async () => {
  const [agent, apart] = [eventLog("agent"), eventLog("apart")];
  const changed = { callId: "c", beforeHash: null, afterHash: null, diff: "" };
  agent.add("file.changed", { ...changed, path: "src/app.rs" });
  apart.add("file.changed", { ...changed, path: "src/other.rs" });
  const sessions = [
    sessionOf({ sessionId: "run" }),
    sessionOf({ sessionId: "agent", parent: "run" }),
    sessionOf({ sessionId: "apart", parent: "run", project: "/worktree" }),
  ];
  const fake = createFake({ sessions, logs: { agent: agent.events, apart: apart.events } });
  const nothing = () => undefined;
  await renderOn(
    fake,
    <ChangedBySubagents sessionId="run" onLines={nothing} onEditor={nothing} onReveal={nothing} />,
  );
  const files = within(await screen.findByRole("list", { name: "Files changed by sub-agents" }));
  expect(files.getAllByRole("listitem").map((one) => one.textContent)).toEqual(["src/app.rs1 change"]);
});
