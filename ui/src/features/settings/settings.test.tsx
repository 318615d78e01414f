import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { ProviderEntry, ProviderTestStep } from "../../protocol/generated";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { Memory } from "./Memory";
import { Providers } from "./Providers";

const lab: ProviderEntry = {
  name: "lab",
  kind: "custom",
  baseUrl: "http://127.0.0.1:8080/v1",
  isLocal: true,
  keySource: "none_needed",
  keyEnv: null,
};

function step(part: Partial<ProviderTestStep>): ProviderTestStep {
  return { step: "settings", state: "ok", durationMs: 3, message: "", code: null, hint: null, ...part };
}

const refused = step({
  step: "reach",
  state: "failed",
  message: "Can't reach lab.",
  code: "PROVIDER_UNREACHABLE",
  hint: "Start it.",
});

async function shown(testSteps: ProviderTestStep[]) {
  const fake = createFake({ providers: [lab], testSteps });
  await renderOn(fake, <Providers keyOf={null} />);
  await userEvent.click(screen.getByRole("button", { name: "Test connection" }));
  return { fake, steps: screen.getByRole("region", { name: "Test of lab" }) };
}

describe("Reflection", () => {
  it("says what it costs, is off until it is turned on, and leads to what was proposed", async () => {
    const fake = createFake({});
    const onReview = vi.fn();
    await renderOn(fake, <Memory onReview={onReview} />);
    expect(screen.getByText(/one small extra request/)).toBeTruthy();
    const reflection = () => screen.getByRole<HTMLInputElement>("switch", { name: "Reflection" });
    expect(reflection().checked).toBe(false);
    await userEvent.click(reflection());
    await waitFor(() => expect(reflection().checked).toBe(true));
    expect(sent(fake, "set_reflection")).toEqual([{ on: true }]);
    await userEvent.click(screen.getByRole("button", { name: "Review memory…" }));
    expect(onReview).toHaveBeenCalledOnce();
  });

  it("stays as it is where the configuration can't be written", async () => {
    const fake = createFake({ handlers: { set_reflection: () => fail("CONFIG_INVALID", "It is damaged.") } });
    await renderOn(fake, <Memory onReview={() => {}} />);
    await userEvent.click(screen.getByRole("switch", { name: "Reflection" }));
    expect((await screen.findByRole("alert")).textContent).toContain("It is damaged.");
    expect(screen.getByRole<HTMLInputElement>("switch", { name: "Reflection" }).checked).toBe(false);
  });
});

describe("Test connection", () => {
  it("tests at once, without a model, and shows each step", async () => {
    const skipped = step({ step: "key", state: "skipped", message: "None is needed." });
    const { fake, steps } = await shown([step({ message: "The address is fine." }), skipped]);
    expect(fake.tested).toEqual([{ provider: "lab", model: null }]);
    const items = within(steps).getAllByRole("listitem");
    expect(items.map((item) => item.textContent)).toEqual([
      "✓SettingsThe address is fine.3 ms",
      "–Keyskipped: None is needed.3 ms",
    ]);
    expect(steps.getAttribute("aria-busy")).toBe("false");
  });

  it("leads from a key that was refused to the field for another one", async () => {
    const refusedKey = step({
      step: "models",
      state: "failed",
      message: "No.",
      code: "KEY_REFUSED",
      hint: "",
    });
    const { fake, steps } = await shown([step({}), refusedKey]);
    await userEvent.click(within(steps).getByRole("button", { name: "Replace key" }));
    const field = screen.getByLabelText("API key for lab");
    expect(document.activeElement).toBe(field);
    await userEvent.type(field, "sk-other{Enter}");
    expect(sent(fake, "set_key")).toEqual([{ provider: "lab", key: "sk-other" }]);
    await waitFor(() => expect(fake.tested).toHaveLength(2));
  });

  it("leaves a key that couldn't be stored in its field, and says why beside it", async () => {
    let isLocked = true;
    const fake = createFake({
      providers: [lab],
      handlers: { set_key: () => (isLocked ? fail("KEYCHAIN_UNAVAILABLE", "There is no keychain.") : null) },
    });
    await renderOn(fake, <Providers keyOf="lab" />);
    const field = screen.getByLabelText<HTMLInputElement>("API key for lab");
    await userEvent.type(field, "sk-mine{Enter}");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("There is no keychain.");
    expect(alert.closest("form")).toBe(field.form);
    expect(field.value).toBe("sk-mine");
    isLocked = false;
    await userEvent.click(screen.getByRole("button", { name: "Save key" }));
    await waitFor(() => expect(field.isConnected).toBe(false));
    expect(field.value).toBe("");
    expect(sent(fake, "set_key").map(({ key }) => key)).toEqual(["sk-mine", "sk-mine"]);
  });

  it("says in a provider's form why it couldn't be saved, and in its row why it couldn't be removed", async () => {
    const refusal = () => fail("CONFIG_INVALID", "The file is damaged.");
    const handlers = { save_provider: refusal, remove_provider: refusal };
    await renderOn(createFake({ providers: [lab], handlers }), <Providers keyOf={null} />);
    await userEvent.click(screen.getByRole("button", { name: "Remove" }));
    expect((await screen.findByRole("alert")).closest("li")?.textContent).toContain("lab");
    await userEvent.click(screen.getByRole("button", { name: "Edit" }));
    expect(screen.queryByRole("alert")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Save provider" }));
    const form = within(screen.getByRole("form", { name: "Edit lab" }));
    expect((await form.findByRole("alert")).textContent).toContain("The file is damaged.");
  });

  it("shows the step that failed with what to do", async () => {
    const { steps } = await shown([step({}), refused]);
    const alert = within(steps).getByRole("alert");
    expect(alert.textContent).toContain("Can't reach lab.");
    expect(alert.textContent).toContain("Start it.");
    expect(alert.textContent).toContain("PROVIDER_UNREACHABLE");
  });

  it("asks a model only where one is named", async () => {
    const { fake } = await shown([step({})]);
    await userEvent.type(screen.getByRole("combobox", { name: "Model of lab to ask" }), "tiny");
    await userEvent.click(screen.getByRole("button", { name: "Test again" }));
    expect(fake.tested.at(-1)).toEqual({ provider: "lab", model: "tiny" });
    expect(screen.getAllByRole("listitem").filter((item) => item.className === "test-step")).toHaveLength(1);
  });

  it("goes away when it is closed", async () => {
    const { steps } = await shown([step({})]);
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(steps.isConnected).toBe(false);
  });
});
