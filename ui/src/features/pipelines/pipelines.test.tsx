import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { PipelineRunDetails } from "../../protocol/generated";
import { type Fake, fail } from "../../testing/fake";
import { described, openPipelines, press, step, tab } from "../../testing/pipelines_place";
import {
  detailsOf,
  gateLog,
  pipelineOf,
  pipelinesFake,
  release,
  runOf,
  stepOf,
  stepsAtGate,
} from "../../testing/pipelines_scene";
import { sent } from "../../testing/render";
import { pathOf } from "./StepGraph";

describe("starting a pipeline", () => {
  it("lists what can be run, with where it is from and what it does", async () => {
    await openPipelines(pipelinesFake());
    const list = await screen.findByRole("list", { name: "Pipelines of this folder" });
    expect(
      within(list)
        .getAllByRole("button")
        .map((one) => one.textContent),
    ).toEqual([
      "releaseWrites the notes of a release and publishes them once you agree..arki/pipelines/release.yaml",
      "explain-folderBuilt in",
      "✕ brokenCan't be run.arki/pipelines/broken.yaml",
    ]);
  });

  it("has a form of the parameters, says what it grants, and starts with what was entered", async () => {
    const fake = pipelinesFake();
    await openPipelines(fake);
    const form = within(await screen.findByRole("form", { name: "Parameters and input" }));
    expect(form.getByText(/sends a request to releases.example.org/)).toBeTruthy();
    await press("Start pipeline");
    // A value has to be given.
    expect(sent(fake, "start_pipeline")).toEqual([]);
    await userEvent.type(form.getByRole("textbox", { name: "version" }), "2.4.0");
    await userEvent.selectOptions(form.getByRole("combobox", { name: "tone" }), "proud");
    await userEvent.clear(form.getByRole("spinbutton", { name: "most" }));
    await userEvent.selectOptions(form.getByRole("combobox", { name: "dry" }), "false");
    await userEvent.type(form.getByRole("textbox", { name: "Input" }), "since May");
    await press("Start pipeline");
    expect(sent(fake, "start_pipeline")).toEqual([
      {
        start: {
          folder: "/home/ada/code/arki",
          pipeline: "release",
          params: { version: "2.4.0", tone: "proud", dry: "false" },
          input: "since May",
        },
      },
    ]);
    expect(await screen.findByRole("list", { name: "Steps" })).toBeTruthy();
    expect(screen.getByRole("tab", { name: "Runs", selected: true })).toBeTruthy();
  });

  it("names the steps as they run, and which of them wait for others", async () => {
    const step = (name: string, ...needs: string[]) => ({ name, adapter: "command", needs });
    const steps = [step("publish", "test", "notes"), step("test"), step("notes")];
    await openPipelines(pipelinesFake({ list_pipelines: () => [pipelineOf("one", { steps })] }));
    const list = await screen.findByRole("list", { name: "Steps" });
    expect([...list.children].map(({ textContent, className }) => [textContent, className])).toEqual([
      ["test command", ""],
      ["notes command", ""],
      ["publish command", "next"],
    ]);
  });

  it("keeps what was entered where it can't be started, and says why", async () => {
    const start_pipeline = () => fail("PIPELINE_PARAM", "most has to be an integer.", "Write digits.");
    await openPipelines(pipelinesFake({ start_pipeline }));
    const version = await screen.findByRole("textbox", { name: "version" });
    await userEvent.type(version, "1{Control>}{Enter}{/Control}");
    expect(await screen.findByText("most has to be an integer.")).toBeTruthy();
    expect(version).toHaveProperty("value", "1");
  });

  it("says where a definition is wrong, and has no form for it", async () => {
    await openPipelines(pipelinesFake());
    await press(/broken/);
    expect(screen.getByText("line 4, column 7")).toBeTruthy();
    expect(screen.getByText("Unknown adapter `comand`.")).toBeTruthy();
    expect(screen.queryByRole("form")).toBeNull();
  });

  it("shows characters that hide something in what the file says, and sends them as they are", async () => {
    const { params } = release;
    const [version, tone] = params.map((param) => ({ ...param, description: `A\u202e ${param.name}` }));
    const choices = ["plain", "pro\u200bud"];
    const pipeline = pipelineOf("release", {
      description: "Notes\u202e.",
      params: version && tone ? [version, { ...tone, choices }] : [],
      grants: ["Sends to example\u202e.org."],
    });
    const fake = pipelinesFake({ list_pipelines: () => [pipeline] });
    await openPipelines(fake);
    const form = await screen.findByRole("form", { name: "Parameters and input" });
    expect(form.textContent).toContain("! Sends to exampleU+202E.org.");
    expect(form.textContent).toContain("AU+202E version");
    const list = screen.getByRole("list", { name: "Pipelines of this folder" });
    expect(list.textContent).toContain("NotesU+202E.");
    const select = within(form).getByRole("combobox", { name: "tone" });
    expect(select.textContent).toBe("plainpro[U+200B]ud");
    await userEvent.type(within(form).getByRole("textbox", { name: "version" }), "1");
    await userEvent.selectOptions(select, "pro[U+200B]ud");
    await press("Start pipeline");
    expect(sent(fake, "start_pipeline")[0]?.start.params).toEqual({ version: "1", tone: "pro\u200bud" });
  });

  it("finds one of many by words", async () => {
    const list_pipelines = () => Array.from({ length: 12 }, (_, n) => pipelineOf(`p${n}`));
    await openPipelines(pipelinesFake({ list_pipelines }));
    await userEvent.type(await screen.findByRole("searchbox", { name: "Filter pipelines" }), "p11");
    const list = screen.getByRole("list", { name: "Pipelines of this folder" });
    expect(within(list).getAllByRole("button")).toHaveLength(1);
  });

  it("teaches where there is no folder or no pipeline, and tries again after a failure", async () => {
    const list_pipelines = vi.fn(() => fail("DB_BUSY", "The database is busy."));
    await openPipelines(pipelinesFake({ list_pipelines }));
    expect(await screen.findByText("The database is busy.")).toBeTruthy();
    await press("Try again");
    expect(list_pipelines).toHaveBeenCalledTimes(2);
    expect(list_pipelines).toHaveBeenLastCalledWith({ folder: "/home/ada/code/arki" });
  });

  it("asks for a folder where none is open", async () => {
    const fake = pipelinesFake();
    await openPipelines(fake, null);
    expect(screen.getByText(/Open a folder first/)).toBeTruthy();
    expect(sent(fake, "list_pipelines")).toEqual([]);
  });
});

/** Opens the run that waits. */
async function openRun(fake: Fake) {
  const given = await openPipelines(fake);
  await tab("Runs");
  const rows = await screen.findAllByRole("button", { name: "release" });
  await userEvent.click(rows[0] as HTMLElement);
  await screen.findByRole("list", { name: "Steps" });
  return given;
}

describe("a run", () => {
  it("shows its steps with state, attempts and time, and the one that waits first", async () => {
    await openRun(pipelinesFake());
    expect(described(await step("tests"))).toBe("done, 3.2 s · 2 attempts, command");
    expect(described(await step("gate"))).toBe("waiting for you, approval, needs notes, tests");
    expect(described(await step("publish"))).toBe("not started, http, needs gate");
    expect(screen.getByRole("button", { name: "gate", pressed: true })).toBeTruthy();
    expect(screen.getByRole("progressbar", { name: "Steps done" })).toHaveProperty("value", 3);
    expect(document.querySelectorAll(".step-line")).toHaveLength(4);
  });

  it("is walked through by arrow keys, and shows the step's output, artifact and log", async () => {
    await openRun(pipelinesFake());
    (await step("gate")).focus();
    await userEvent.keyboard("{ArrowLeft}");
    await waitFor(() => expect(screen.getByRole("button", { name: "notes" })).toBe(document.activeElement));
    const notes = within(screen.getByRole("region", { name: "Step notes" }));
    expect((await notes.findByRole("group", { name: "Output" })).textContent).toBe("what notes said");
    expect(notes.getByRole("list", { name: "Artifacts" }).textContent).toBe(
      "Its output is kept as the artifact notes.md (text/markdown, 12 bytes).",
    );
    await userEvent.keyboard("{Home}{ArrowDown}");
    const tests = within(screen.getByRole("region", { name: "Step tests" }));
    expect(await tests.findByText("Empty.")).toBeTruthy();
    const log = tests.getByRole("list", { name: "What happened" });
    expect([...log.children].map((one) => one.textContent?.slice("09:30:00 ".length))).toEqual([
      "Attempt 1 began",
      "Failed after 900 ms: Exit code 1. Tried again after 200 ms.",
      "Attempt 2 began",
      "Done after 3.2 s: 0 bytes",
    ]);
  });

  it("counts seconds only while a step works", async () => {
    const clocks = vi.spyOn(globalThis, "setInterval");
    const seconds = () => clocks.mock.calls.filter(([, ms]) => ms === 1000).length;
    let steps = stepsAtGate;
    const fake = pipelinesFake({ pipeline_run: () => detailsOf(steps) });
    await openRun(fake);
    expect(seconds()).toBe(0);
    steps = stepsAtGate.map((step) => (step.state === "waiting" ? { ...step, state: "running" } : step));
    const resolved = gateLog().add("approval.resolved", {
      approvalId: "gate-1",
      decision: "approve",
      resolvedBy: "window",
      previewHash: "",
    });
    act(() => fake.send({ events: [resolved] }));
    await waitFor(() => expect(seconds()).toBeGreaterThan(0));
    clocks.mockRestore();
  });

  it("has its gate decided in place", async () => {
    await openRun(pipelinesFake());
    expect(screen.getByText("gate gate-1")).toBeTruthy();
  });

  it("is asked about again when its session has new events, once for many", async () => {
    let steps = stepsAtGate;
    const pipeline_run = vi.fn((): PipelineRunDetails => detailsOf(steps));
    const { events, add } = gateLog();
    const fake = pipelinesFake({ pipeline_run }, { p1: [...events] });
    await openRun(fake);
    const before = pipeline_run.mock.calls.length;
    steps = stepsAtGate.map((one) => (one.step === "gate" ? { ...one, state: "completed" as const } : one));
    act(() => {
      for (const type of ["run.resumed", "step.completed"] as const)
        fake.send({ events: [add(type, type === "step.completed" ? { step: "gate" } : {})] });
    });
    await waitFor(async () => expect(described(await step("gate"))).toMatch(/^done/));
    expect(pipeline_run.mock.calls.length - before).toBeLessThanOrEqual(2);
  });

  it("says why it failed and goes on, or begins anew from a step", async () => {
    const failure = { code: "STEP_FAILED", message: "notes: the model is gone.", hint: "Try again later." };
    const steps = [
      stepOf("log", { state: "completed", attempts: 1 }),
      stepOf("notes", { state: "failed", failure }),
    ];
    const fake = pipelinesFake({
      pipeline_run: ({ runId }) =>
        runId === "again" ? detailsOf(stepsAtGate) : detailsOf(steps, { state: "failed" }, { failure }),
      retry_pipeline: () => ({ sessionId: "p1", runId: "again", messageId: null }),
    });
    await openRun(fake);
    expect(screen.getAllByText("Try again later.").length).toBeGreaterThan(0);
    await press("Resume");
    expect(sent(fake, "resume_pipeline")).toEqual([{ runId: "run-p1", definition: null }]);
    await press("Run again from here");
    expect(sent(fake, "retry_pipeline")).toEqual([{ runId: "run-p1", step: "notes", definition: null }]);
    await waitFor(() => expect(sent(fake, "pipeline_run").at(-1)).toEqual({ runId: "again" }));
  });

  it("is stopped", async () => {
    const fake = pipelinesFake({ stop_run: () => null });
    await openRun(fake);
    await press("Stop");
    expect(sent(fake, "stop_run")).toEqual([{ sessionId: "p1" }]);
    expect(screen.queryByRole("button", { name: "Resume" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Run again from here" })).toBeNull();
  });

  it("shows how its definition changed, and goes on with the one that the user says", async () => {
    const fake = pipelinesFake({
      pipeline_run: () => detailsOf(stepsAtGate, { state: "interrupted" }),
      resume_pipeline: ({ definition }) =>
        definition === null
          ? fail("PIPELINE_CHANGED", "release.yaml changed since the run started.\n-run: a\n+run: b")
          : { sessionId: "p1", runId: "run-p1", messageId: null },
    });
    await openRun(fake);
    await press("Resume");
    expect((await screen.findByRole("alert")).querySelector("pre")?.textContent).toBe("-run: a\n+run: b");
    await press("Resume with the changed file");
    expect(sent(fake, "resume_pipeline").at(-1)).toEqual({ runId: "run-p1", definition: "current" });
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });

  it("runs again from a step with the definition that the user says", async () => {
    const fake = pipelinesFake({
      pipeline_run: () => detailsOf([stepOf("notes", { state: "failed" })], { state: "failed" }),
      retry_pipeline: ({ definition }) =>
        definition === null
          ? fail("PIPELINE_CHANGED", "release.yaml changed since the run started.\n-run: a\n+run: b")
          : { sessionId: "p1", runId: "again", messageId: null },
    });
    await openRun(fake);
    await press("Run again from here");
    await press("Resume with the changed file");
    expect(sent(fake, "retry_pipeline").at(-1)).toEqual({
      runId: "run-p1",
      step: "notes",
      definition: "current",
    });
    expect(sent(fake, "resume_pipeline")).toEqual([]);
  });

  it("shows characters that hide something in its parameters and in how its definition changed", async () => {
    const params = { version: "2\u202e4" };
    const fake = pipelinesFake({
      pipeline_run: () => detailsOf(stepsAtGate, { state: "interrupted" }, { params }),
      resume_pipeline: () => fail("PIPELINE_CHANGED", "rel\u202eease.yaml changed.\n-run: a"),
    });
    await openRun(fake);
    expect(document.querySelector(".run-param")?.textContent).toBe("version2U+202E4");
    await press("Resume");
    expect((await screen.findByRole("alert")).textContent).toContain("relU+202Eease.yaml changed.");
  });

  it("shows the output of one item, and leads to a step's own session", async () => {
    const each = stepOf("each", {
      state: "running",
      attempts: 1,
      items: 3,
      itemsDone: 2,
      sessionId: "child",
    });
    const fake = pipelinesFake({ pipeline_run: () => detailsOf([each], { state: "running" }) });
    const { onSession } = await openRun(fake);
    expect(described(await step("each"))).toMatch(/2 of 3 items/);
    await userEvent.type(screen.getByRole("spinbutton", { name: "Of item" }), "2");
    expect((await screen.findByRole("group", { name: "Output" })).textContent).toBe("what each[1] said");
    await userEvent.click(screen.getByRole("button", { name: "Save output…" }));
    expect(await screen.findByText("Saved to /home/ada/Downloads/each[1].txt")).toBeTruthy();
    const panel = within(screen.getByRole("region", { name: "Step each" }));
    await userEvent.click(panel.getByRole("button", { name: "Open its session" }));
    expect(onSession).toHaveBeenCalledWith("child");
  });

  it("is a list where it has too many steps for a graph, with those that failed first", async () => {
    const steps = Array.from({ length: 900 }, (_, n) =>
      stepOf(`s${n}`, { state: n === 700 ? "failed" : "completed" }),
    );
    await openRun(pipelinesFake({ pipeline_run: () => detailsOf(steps, { state: "failed" }) }));
    const list = screen.getByRole("list", { name: "Steps" });
    expect(list.children).toHaveLength(200);
    expect(list.querySelector("button")?.getAttribute("data-step")).toBe("s700");
    await press(/700 rows are left/);
    expect(list.children).toHaveLength(400);
  });

  it("goes back to the runs, to where the user was", async () => {
    await openRun(pipelinesFake());
    await press("← All runs");
    const rows = await screen.findAllByRole("button", { name: "release" });
    await waitFor(() => expect(rows[0]).toBe(document.activeElement));
  });

  it("draws lines from one step's end to the other's beginning", () => {
    expect(pathOf([])).toBe("");
    expect(
      pathOf([
        { column: 0, row: 0 },
        { column: 1, row: 1 },
      ]),
    ).toBe("M 0.92 0.5 C 1 0.5 1 1.5 1.08 1.5");
  });
});

describe("the runs so far", () => {
  const list_pipeline_runs = () => [
    runOf("a", { state: "running", endedAt: null }),
    runOf("b", { state: "failed", endedAt: Date.UTC(2026, 10, 21, 9, 30, 6) }),
    runOf("c", { schedule: "nightly" }),
    runOf("d", { name: "other", state: "cancelled" }),
  ];

  it("are listed with state and duration, and summed up", async () => {
    await openPipelines(pipelinesFake({ list_pipeline_runs }));
    await tab("Runs");
    const rows = within(await screen.findByRole("table", { name: "Runs" }))
      .getAllByRole("row")
      .slice(1);
    const told = rows.map((row) => [...row.children].map((cell) => cell.textContent));
    expect(told.map(([name, state, , time]) => [name, state, time])).toEqual([
      ["release", "◐ running", ""],
      ["release", "✕ failed", "6 s"],
      ["release schedule nightly", "✓ done", "3 s"],
      ["other", "– stopped", "3 s"],
    ]);
    expect(screen.getByText("1 of the last 2 runs succeeded (50 %) · usually 3 s")).toBeTruthy();
  });

  it("are columns by duration, told apart by a sign", async () => {
    await openPipelines(pipelinesFake({ list_pipeline_runs }));
    await tab("Runs");
    await screen.findByRole("table", { name: "Runs" });
    const columns = [...document.querySelectorAll(".runs-column")].map((column) => [
      column.textContent,
      column.querySelector<HTMLElement>(".runs-piece")?.style.height,
    ]);
    expect(columns).toEqual([
      ["–", "50%"],
      ["", "50%"],
      ["✕", "100%"],
    ]);
  });

  it("are those of one pipeline when asked to", async () => {
    await openPipelines(pipelinesFake({ list_pipeline_runs }));
    await tab("Runs");
    await userEvent.selectOptions(await screen.findByRole("combobox", { name: "Pipeline" }), "other");
    expect(within(screen.getByRole("table", { name: "Runs" })).getAllByRole("row")).toHaveLength(2);
  });

  it("say where they ran, if not in this folder", async () => {
    const fake = pipelinesFake({ list_pipeline_runs: () => [runOf("a")] });
    await openPipelines(fake, "/home/ada/other");
    await tab("Runs");
    expect((await screen.findByRole("rowheader")).textContent).toBe("release in arki");
  });

  it("teach where there are none", async () => {
    await openPipelines(pipelinesFake({ list_pipeline_runs: () => [] }));
    await tab("Runs");
    expect(await screen.findByText(/No runs yet/)).toBeTruthy();
  });
});
