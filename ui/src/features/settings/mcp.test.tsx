import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { McpServerEntry } from "../../protocol/generated";
import { createFake, fail } from "../../testing/fake";
import { mcpServer } from "../../testing/mcp";
import { renderOn, sent } from "../../testing/render";
import { McpServers } from "./McpServers";

/** As it stands in a configuration. */
const reference = `$${"{TOKEN}"}`;

const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

async function shown(given: Parameters<typeof createFake>[0]) {
  const fake = createFake(given);
  await renderOn(fake, <McpServers />);
  return fake;
}

describe("the list of MCP servers", () => {
  it("shows what each is, does and costs, and why it failed", async () => {
    const failure = { code: "MCP_SERVER_FAILED", message: "It ended.", hint: "Look." };
    await shown({
      mcpServers: [
        mcpServer({ state: "running", tools: ["a", "b"], estimatedTokens: 1840 }),
        mcpServer({ name: "many", tools: ["a"], isSearched: true, estimatedTokens: 67_000 }),
        mcpServer({
          name: "broken",
          state: "failed",
          failure,
          refused: [{ name: "x", reason: "it has no schema" }],
        }),
      ],
    });
    const items = screen.getAllByRole("listitem").map((item) => item.textContent ?? "");
    expect(items[0]).toContain("✓ running · 2 tools, 1.8k tokens in each request");
    expect(items[1]).toContain("1 tool, found by search, because 67k tokens would be too much");
    expect(items[2]).toContain("✕ failed · tools unknown");
    expect(items[2]).toContain("x is not offered: it has no schema.");
    expect(screen.getByRole("alert").textContent).toContain("It ended.");
  });

  it("leaves a project's server to the project, and starts none in a folder that is not trusted", async () => {
    await shown({ mcpServers: [mcpServer({ origin: "project", state: "untrusted" })] });
    expect(screen.queryAllByRole("button").map((button) => button.textContent)).toEqual(["Add MCP server"]);
  });

  it("switches off and on, and removes", async () => {
    const fake = await shown({ mcpServers: [mcpServer({}), mcpServer({ name: "off", state: "disabled" })] });
    await press("Switch off");
    await press("Switch on");
    expect(sent(fake, "enable_mcp_server")).toEqual([
      { name: "git", enabled: false },
      { name: "off", enabled: true },
    ]);
    await userEvent.click(screen.getAllByRole("button", { name: "Remove" })[1] as HTMLElement);
    expect(sent(fake, "remove_mcp_server")).toEqual([{ name: "off" }]);
  });
});

describe("a server's form", () => {
  it("stays open when something that was begun before it is done", async () => {
    let removed = () => {};
    const removing = new Promise<void>((done) => {
      removed = done;
    });
    const fake = createFake({ mcpServers: [mcpServer({})] });
    const { call } = fake.platform;
    fake.platform.call = async (name, params) => {
      if (name === "remove_mcp_server") await removing;
      return call(name, params);
    };
    await renderOn(fake, <McpServers />);
    await press("Remove");
    await press("Add MCP server");
    await act(async () => removed());
    expect(screen.getByRole("form", { name: "Add MCP server" })).toBeTruthy();
  });

  it("adds a program with its arguments and environment, line by line", async () => {
    const fake = await shown({});
    await press("Add MCP server");
    await userEvent.type(screen.getByRole("textbox", { name: "Name" }), "git");
    await userEvent.type(screen.getByRole("textbox", { name: "Command" }), "uvx");
    await userEvent.type(screen.getByRole("textbox", { name: "Arguments" }), "mcp-server-git\n\n--all of it");
    await userEvent.type(screen.getByRole("textbox", { name: "Environment" }), `TOKEN=$${"{{TOKEN}"}\nKEPT`);
    await userEvent.click(screen.getByRole("checkbox", { name: "Allow network access" }));
    await press("Save server");
    const env = [
      { name: "TOKEN", value: reference },
      { name: "KEPT", value: null },
    ];
    const settings = {
      command: "uvx",
      args: ["mcp-server-git", "--all of it"],
      env,
      network: true,
      url: null,
    };
    expect(sent(fake, "save_mcp_server")).toEqual([{ name: "git", settings: { ...settings, headers: [] } }]);
    expect(screen.queryByRole("form")).toBeNull();
  });

  it("shows how a variable is written, as it is typed", async () => {
    await shown({});
    await press("Add MCP server");
    const example = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name }).placeholder;
    expect(example("Environment")).toBe(`NAME=$${"{NAME}"}, one per line`);
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "Kind" }), "address");
    expect(example("Headers")).toBe(`NAME=Bearer ${reference}, one per line`);
  });

  it("shows a configured value by its name alone, and stays open with what is wrong", async () => {
    const settings = {
      command: null,
      args: [],
      env: [],
      network: false,
      url: "https://x.example/mcp",
      headers: [{ name: "Authorization", value: null }],
    };
    const handlers = { save_mcp_server: () => fail("CONFIG_INVALID", "That can't work.") };
    const fake = await shown({ mcpServers: [mcpServer({ transport: "http", settings })], handlers });
    await press("Edit");
    expect(screen.getByRole("textbox", { name: "Headers" })).toHaveProperty("value", "Authorization");
    await press("Save server");
    expect(sent(fake, "save_mcp_server")).toEqual([{ name: "git", settings }]);
    expect(screen.getByRole("alert").textContent).toContain("That can't work.");
    expect(screen.getByRole("textbox", { name: "Address" })).toBeTruthy();
  });
});

describe("a server's test", () => {
  it("shows the step that failed, what to do, and what the server printed", async () => {
    const step = { ok: true, durationMs: 3, message: "uvx", code: null, hint: null, trail: null };
    await shown({
      mcpServers: [mcpServer({})],
      mcpTestSteps: [
        { ...step, step: "start" },
        {
          ...step,
          step: "initialize",
          ok: false,
          message: "It ended.",
          code: "MCP_SERVER_FAILED",
          trail: "Traceback",
        },
      ],
    });
    await press("Test");
    const test = screen.getByRole("region", { name: "Test of git" });
    expect(within(test).getAllByRole("listitem")[0]?.textContent).toBe("✓Startuvx3 ms");
    expect(within(test).getByRole("alert").textContent).toContain("MCP_SERVER_FAILED");
    expect(test.textContent).toContain("Traceback");
    expect(test.getAttribute("aria-busy")).toBe("false");
  });
});

describe("a test that went well", () => {
  it("is seen in the list at once, while it is still open", async () => {
    let met: Partial<McpServerEntry> = { tools: null };
    await shown({ handlers: { list_mcp_servers: () => [mcpServer(met)] } });
    const entry = screen.getByRole("listitem");
    expect(entry.textContent).toContain("not started yet");
    met = { tools: ["a", "b"], estimatedTokens: 120 };
    await press("Test");
    await waitFor(() => expect(entry.textContent).toContain("2 tools, 120 tokens in each request"));
    expect(screen.getByRole("region", { name: "Test of git" })).toBeTruthy();
  });
});

describe("changed tools", () => {
  it("are shown beside what was agreed to, and agreed to as they were shown", async () => {
    const changed = [
      { name: "echo", change: "changed" as const, before: "Says it.", now: "Sends it\u200b away." },
    ];
    const server = mcpServer({ tools: ["other"], changed, digest: "seen" });
    const fake = await shown({ mcpServers: [server] });
    expect(screen.getByRole("listitem").textContent).toContain(
      "1 tool changed after you approved the server. It is off.",
    );
    await press("Review changes");
    const changes = screen.getByRole("region", { name: "Changes of git" });
    expect(changes.textContent).toContain("Says it.");
    expect(changes.textContent).toContain("Sends itU+200B away.");
    await press("Approve these tools");
    expect(sent(fake, "agree_to_mcp_server")).toEqual([{ name: "git", digest: "seen" }]);
    expect(changes.isConnected).toBe(false);
  });

  it("that are others by now are not agreed to", async () => {
    const changed = [{ name: "echo", change: "added" as const, before: null, now: "New." }];
    const handlers = { agree_to_mcp_server: () => fail("MCP_TOOL_CHANGED", "They have changed since.") };
    await shown({ mcpServers: [mcpServer({ changed })], handlers });
    await press("Review changes");
    await press("Approve these tools");
    expect(screen.getByRole("alert").textContent).toContain("They have changed since.");
  });
});

describe("a server's log", () => {
  it("is read when it is asked for, with nothing hidden in it", async () => {
    const logs = ["", "started\u202e"];
    const fake = await shown({
      mcpServers: [mcpServer({})],
      handlers: { mcp_server_log: () => logs.shift() ?? "" },
    });
    await press("Log");
    const log = screen.getByRole("region", { name: "Log of git" });
    expect(log.textContent).toContain("It has printed nothing");
    await press("Read again");
    expect(log.textContent).toContain("startedU+202E");
    expect(sent(fake, "mcp_server_log")).toHaveLength(2);
  });
});
