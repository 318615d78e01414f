import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { models } from "../../testing/configured";
import { createFake, fail } from "../../testing/fake";
import { requestOf } from "../../testing/fake_context";
import { renderOn, sent } from "../../testing/render";
import { SessionSettingsDialog } from "./SessionSettingsDialog";

type Given = Parameters<typeof createFake>[0] & { sentModel?: string };
const unchanged = { model: null, effort: null, core: null, system: null, on: [], off: [] };

async function shown({ sentModel, ...given }: Given = {}, sessionId = "s") {
  const does = { onSendNoModel: vi.fn(), onTools: vi.fn(), onClose: vi.fn() };
  const fake = createFake({ logs: { [sessionId]: [] }, models, ...given });
  const of = { folder: "/home/ada/code/arki", sessionId };
  await renderOn(fake, <SessionSettingsDialog {...of} {...does} sentModel={sentModel ?? null} />);
  const changes = () => sent(fake, "configure_session").map((asked) => asked.changes);
  return { ...does, changes };
}
const choice = (name: string) => screen.findByRole<HTMLSelectElement>("combobox", { name });
/** What assistive technology reads out beside the name. */
const about = (control: HTMLElement) =>
  document.getElementById(control.getAttribute("aria-describedby") ?? "")?.textContent;

describe("the settings of a session", () => {
  it("say where each value comes from", async () => {
    const cores = ["tool-loop", "pes"];
    const configured = { model: "openai/gpt-5.1", effort: "low", core: "pes", cores, system: "Be brief." };
    await shown({
      next: requestOf({
        configured,
        settings: { model: "demo/echo", effort: null, core: null, system: null },
      }),
      tools: [
        { name: "read_file", description: "", category: "read", enabled: true },
        { name: "run_command", description: "", category: "exec", enabled: false },
      ],
    });
    const model = await choice("Model");
    expect([model.value, about(model)]).toEqual(["demo/echo", "Set for this session."]);
    const effort = await choice("Reasoning effort");
    expect(effort.selectedOptions[0]?.textContent).toBe("As configured (low)");
    expect(about(effort)).toBe("From the configuration.");
    const core = await choice("How the agent works");
    expect(core.selectedOptions[0]?.textContent).toBe("As configured (pes)");
    const prompt = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });
    expect([prompt.value, prompt.placeholder]).toEqual(["", "Be brief."]);
    expect(about(prompt)).toContain("From the configuration.");
    expect(about(screen.getByRole("button", { name: "Choose tools…" }))).toBe(
      "Set for this session: 1 of 2 tools are off.",
    );
    expect(screen.getByText(/apply from this session's next run/)).toBeTruthy();
  });

  it("have their room before they are known, and nobody can reach them there", async () => {
    const never = () => new Promise(() => undefined) as never;
    await shown({ handlers: { next_request: never } });
    const all = { hidden: true } as const;
    expect(screen.getAllByRole("combobox", all)).toHaveLength(3);
    expect(screen.getByRole("textbox", all)).toBeTruthy();
    expect(screen.queryByRole("combobox")).toBeNull();
    expect(screen.queryByRole("textbox")).toBeNull();
  });

  it("choose how the agent works", async () => {
    const { changes } = await shown();
    await userEvent.selectOptions(await choice("How the agent works"), "pes: plans first");
    await screen.findByText("Saved. It applies from the next run.");
    expect(changes()).toEqual([{ ...unchanged, core: "pes" }]);
  });

  it("are changed one by one, and as configured again", async () => {
    const { changes } = await shown();
    await userEvent.selectOptions(await choice("Model"), "demo/echo");
    await screen.findByText("Saved. It applies from the next run.");
    await userEvent.selectOptions(await choice("Reasoning effort"), "high");
    await waitFor(async () => expect((await choice("Reasoning effort")).value).toBe("high"));
    await userEvent.selectOptions(await choice("Model"), "As configured (openai/gpt-5.1)");
    await waitFor(async () => expect(about(await choice("Model"))).toBe("From the configuration."));
    expect(changes()).toEqual([
      { ...unchanged, model: "demo/echo" },
      { ...unchanged, effort: "high" },
      { ...unchanged, model: "" },
    ]);
  });

  it("say that the message box's model goes before, and let go of it", async () => {
    const { onSendNoModel } = await shown({ sentModel: "demo/echo" });
    expect(about(await choice("Model"))).toContain("The message box sends demo/echo with each message");
    await userEvent.click(screen.getByRole("button", { name: "Use this one" }));
    expect(onSendNoModel).toHaveBeenCalledOnce();
  });

  it("have a prompt that is saved when it is meant, and not lost before", async () => {
    const { changes } = await shown({}, "prompted");
    await userEvent.type(await screen.findByRole("textbox", { name: "Prompt" }), "In verse.");
    expect(changes()).toEqual([]);
    cleanup();
    const again = await shown({}, "prompted");
    const prompt = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });
    expect([prompt.value, about(prompt)]).toEqual(["In verse.", "Not saved yet."]);
    await userEvent.click(screen.getByRole("button", { name: "Save prompt" }));
    await waitFor(() => expect(about(prompt)).toContain("Set for this session"));
    await userEvent.click(screen.getByRole("button", { name: "Use the configured prompt" }));
    await waitFor(() => expect(prompt.value).toBe(""));
    expect(again.changes()).toEqual([
      { ...unchanged, system: "In verse." },
      { ...unchanged, system: "" },
    ]);
  });

  it("keep what was written where it can't be saved, and say why", async () => {
    const refuse = () => fail("PROMPT_VALIDATION_FAILED", "The prompt is empty.", "Write another prompt.");
    await shown({ handlers: { configure_session: refuse } }, "refused");
    const prompt = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });
    await userEvent.type(prompt, "x");
    await userEvent.click(screen.getByRole("button", { name: "Save prompt" }));
    expect(await screen.findByText("The prompt is empty.")).toBeTruthy();
    expect(prompt.value).toBe("x");
    expect(screen.queryByText(/^Saved/)).toBeNull();
  });

  it("show what the session keeps, where it keeps anything", async () => {
    await shown({ state: { ans: "14/3", count: 2 } });
    const state = await screen.findByRole("region", { name: "State" });
    expect(state.textContent).toContain('"ans": "14/3",\n  "count": 2');
    cleanup();
    await shown();
    await screen.findByRole("button", { name: "Choose tools…" });
    expect(screen.queryByRole("region", { name: "State" })).toBeNull();
  });

  it("lead to the tools", async () => {
    const { onTools } = await shown();
    await userEvent.click(await screen.findByRole("button", { name: "Choose tools…" }));
    expect(onTools).toHaveBeenCalledOnce();
  });
});
