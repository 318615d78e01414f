import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { LocalServer, ProviderEntry, ProviderTestStep } from "../../protocol/generated";
import { models } from "../../testing/configured";
import { createFake, demoProject, type Fake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { ModelChoice } from "./ModelChoice";
import { NewSession } from "./NewSession";
import { Welcome } from "./Welcome";

const ollama: LocalServer = {
  name: "ollama",
  product: "Ollama",
  baseUrl: "http://127.0.0.1:11434",
  models: ["qwen3:8b", "llama3.2:3b"],
};
const anthropic: ProviderEntry = {
  name: "anthropic",
  kind: "anthropic",
  baseUrl: null,
  isLocal: false,
  keySource: "missing",
  keyEnv: null,
};
const step = (state: "ok" | "failed"): ProviderTestStep => ({
  step: "key",
  state,
  durationMs: 1,
  message: state === "ok" ? "The key is known." : "The key was refused.",
  code: state === "ok" ? null : "KEY_REFUSED",
  hint: null,
});
const demoApp = { defaultModel: "demo/demo" };
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole("button", { name }));

async function choosing(given: Parameters<typeof createFake>[0]) {
  const fake = createFake({ app: demoApp, ...given });
  const [onChosen, onLink] = [vi.fn(), vi.fn()];
  await renderOn(fake, <ModelChoice onChosen={onChosen} onLink={onLink} />);
  return { fake, onChosen, onLink };
}

describe("choosing a model", () => {
  it("offers the models of a server that runs on this computer", async () => {
    const { fake, onChosen } = await choosing({ localServers: [ollama] });
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Model of Ollama" }), "llama3.2:3b");
    await press("Use llama3.2:3b");
    expect(sent(fake, "choose_local_model")).toEqual([{ server: "ollama", model: "llama3.2:3b" }]);
    expect(onChosen).toHaveBeenCalledExactlyOnceWith("ollama/llama3.2:3b");
    expect(await screen.findByRole<HTMLButtonElement>("button", { name: "Use llama3.2:3b" })).toHaveProperty(
      "disabled",
      true,
    );
  });

  it("shows characters that hide something in a server's names, and asks for the model by its own", async () => {
    const server = { ...ollama, product: "Oll\u202eama", models: ["qwen\u200b3"] };
    const { fake } = await choosing({ localServers: [server] });
    const select = screen.getByRole("combobox", { name: "Model of Oll[U+202E]ama" });
    expect(select.textContent).toBe("qwen[U+200B]3");
    expect(screen.getByText("Oll", { selector: ".model-option b", exact: false }).textContent).toBe(
      "OllU+202Eama",
    );
    await press("Use qwen[U+200B]3");
    expect(sent(fake, "choose_local_model")).toEqual([{ server: "ollama", model: "qwen\u200b3" }]);
    expect(await screen.findByRole("combobox", { name: "Model of Oll[U+202E]ama" })).toHaveProperty(
      "value",
      "qwen\u200b3",
    );
  });

  it("says that no server runs, and looks again when asked", async () => {
    const { fake } = await choosing({});
    expect(screen.getByText(/No Ollama, LM Studio or llama.cpp is running/)).toBeTruthy();
    await press("Look again");
    expect(sent(fake, "find_local_servers")).toHaveLength(2);
  });

  it("has the demo always, also where another model is the default", async () => {
    const { fake, onChosen } = await choosing({ app: { defaultModel: "lab/x" } });
    await press("Use the demo");
    expect(sent(fake, "set_default_model")).toEqual([{ model: "demo/demo" }]);
    expect(onChosen).toHaveBeenCalledWith("demo/demo");
  });

  it("says why a model can't be chosen", async () => {
    const handlers = { choose_local_model: () => fail("CONFIG_INVALID", "The file is damaged.") };
    await choosing({ localServers: [ollama], handlers });
    await press("Use qwen3:8b");
    expect((await screen.findByRole("alert")).textContent).toContain("The file is damaged.");
  });

  it("tests a key at once, keeps it nowhere in the page, and offers the provider's models", async () => {
    const providers: ProviderEntry[] = [];
    const own = models.filter((one) => one.provider === "anthropic");
    const first = own[0] ?? fail("TEST", "the scene has no model of Anthropic's");
    const { fake, onChosen } = await choosing({
      providers,
      models: own,
      testSteps: [step("ok")],
      handlers: {
        save_provider: () => {
          providers.push(anthropic);
          return null;
        },
      },
    });
    await press("Enter a key");
    await userEvent.type(screen.getByLabelText("API key for anthropic"), "sk-secret{Enter}");
    expect(sent(fake, "save_provider")).toEqual([{ name: "anthropic", kind: "anthropic", baseUrl: null }]);
    expect(sent(fake, "set_key")).toEqual([{ provider: "anthropic", key: "sk-secret" }]);
    expect(fake.tested).toEqual([{ provider: "anthropic", model: null }]);
    expect(document.body.innerHTML).not.toContain("sk-secret");
    await press("Use this model");
    expect(onChosen).toHaveBeenCalledExactlyOnceWith(first.id);
  });

  it("leads to where the vendor gives out keys", async () => {
    const { onLink } = await choosing({ providers: [] });
    await press("Enter a key");
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Provider" }), "DeepSeek");
    await press("Get a key from DeepSeek");
    expect(onLink).toHaveBeenCalledExactlyOnceWith(
      "https://platform.deepseek.com/api_keys",
      "Get a key from DeepSeek",
    );
  });

  it("calls models by their names", async () => {
    await choosing({ app: demoApp });
    expect(screen.getByText("Demo").title).toBe("demo/demo");
  });

  it("asks for another key where the test fails, and tests that one too", async () => {
    const { fake } = await choosing({ providers: [anthropic], testSteps: [step("failed")] });
    await press("Enter a key");
    await userEvent.type(screen.getByLabelText("API key for anthropic"), "sk-wrong{Enter}");
    expect(await screen.findByText("The key was refused.")).toBeTruthy();
    expect(sent(fake, "save_provider")).toEqual([]);
    await userEvent.type(await screen.findByLabelText("API key for anthropic"), "sk-other{Enter}");
    await waitFor(() => expect(fake.tested).toHaveLength(2));
    expect(screen.queryByRole("button", { name: "Use this model" })).toBeNull();
  });
});

describe("the welcome", () => {
  async function welcomed(given: Parameters<typeof createFake>[0]): Promise<[Fake, (path: string) => void]> {
    const fake = createFake({ app: { ...demoApp, project: null, recentProjects: ["/code/a"] }, ...given });
    const onOpen = vi.fn();
    await renderOn(
      fake,
      <Welcome
        error={null}
        onSessions={() => undefined}
        onOpenFolder={() => {}}
        onOpen={onOpen}
        onSample={() => {}}
        onModel={() => {}}
        onLink={() => {}}
      />,
    );
    return [fake, onOpen];
  }

  it("opens a recent folder, and one that is dropped", async () => {
    const [fake, onOpen] = await welcomed({ handlers: { take_dropped_folder: () => "/code/b" } });
    await userEvent.click(
      within(screen.getByRole("region", { name: "Recent projects" })).getByRole("button"),
    );
    expect(onOpen).toHaveBeenLastCalledWith("/code/a");
    await act(async () => fake.drag("over"));
    expect(document.querySelector(".welcome.over")).toBeTruthy();
    await act(async () => fake.drag("dropped"));
    expect(onOpen).toHaveBeenLastCalledWith("/code/b");
    expect(document.querySelector(".welcome.over")).toBeNull();
  });

  it("says that what was dropped is no folder", async () => {
    const [fake, onOpen] = await welcomed({});
    await act(async () => fake.drag("dropped"));
    expect((await screen.findByRole("alert")).textContent).toContain("What you dropped isn't a folder.");
    expect(onOpen).not.toHaveBeenCalled();
  });
});

describe("a new session", () => {
  const examples = [
    { kind: "explain_project", path: null },
    { kind: "write_tests", path: "src/main.rs" },
  ] as const;
  const shown = async (given: Parameters<typeof createFake>[0]) => {
    const fake = createFake({ examples: [...examples], ...given });
    const told = { onExample: vi.fn(), onTrust: vi.fn() };
    await renderOn(
      fake,
      <NewSession folder={demoProject.path} model={null} onModel={() => {}} onLink={() => {}} {...told} />,
    );
    return { fake, ...told };
  };

  it("has examples that fit to the folder, and the model's choice only for who has none yet", async () => {
    const { fake, onExample } = await shown({});
    expect(sent(fake, "example_prompts")).toEqual([{ folder: demoProject.path }]);
    await press("Write tests for src/main.rs");
    const all = ["Explain what this project does and how it is laid out", "Write tests for src/main.rs"];
    expect(onExample).toHaveBeenCalledExactlyOnceWith(all[1], all);
    expect(screen.queryByRole("region", { name: "Model" })).toBeNull();
  });

  it("leads to trust and to a model where they are missing", async () => {
    const { onTrust } = await shown({ app: { ...demoApp, project: { ...demoProject, trust: "untrusted" } } });
    expect(screen.getByRole("region", { name: "Model" })).toBeTruthy();
    await press("Show what trust turns on");
    expect(onTrust).toHaveBeenCalledOnce();
  });
});
