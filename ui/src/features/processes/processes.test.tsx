import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import type { RunningCommand } from "../../protocol/generated";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { Processes } from "./Processes";

afterEach(cleanup);

const server: RunningCommand = {
  id: 7,
  pid: 4711,
  command: "npm run dev",
  mcpServer: null,
  directory: "/home/ada/code/arki",
  startedAt: 0,
  runningMs: 65_000,
  processes: 3,
  memoryBytes: 50 * 1024 * 1024,
  cpuMs: 1200,
  ports: [5173, 9229],
  ownNetwork: false,
};

it("says what runs, since when, what it takes and where it listens", async () => {
  await renderOn(createFake({ handlers: { list_processes: () => [server] } }), <Processes />);
  const row = await screen.findByRole("listitem");
  expect(row.textContent).toContain("npm run dev");
  expect(row.textContent).toContain("~/code/arki · runs for 1 min 5 s · 3 processes · 50.0 MiB");
  expect(row.textContent).toContain("Listens on ports 5173, 9229.");
});

it("says of a port inside a sandbox that nobody outside reaches it, and of another system that it can't know", async () => {
  const inside = { ...server, ports: [8000], ownNetwork: true };
  const unknown = { ...server, id: 8, ports: null, memoryBytes: null, processes: null, cpuMs: null };
  await renderOn(createFake({ handlers: { list_processes: () => [inside, unknown] } }), <Processes />);
  expect(await screen.findByText("Listens on port 8000, only inside its sandbox.")).toBeTruthy();
  expect(screen.getByText("Its ports are unknown on this system.")).toBeTruthy();
});

it("tells an MCP server by its name, with the program it is", async () => {
  const git = { ...server, command: "uvx mcp-server-git", mcpServer: "git" };
  await renderOn(createFake({ handlers: { list_processes: () => [git] } }), <Processes />);
  const stop = await screen.findByRole("button", { name: "Stop process" });
  const about = document.getElementById(stop.getAttribute("aria-describedby") ?? "");
  expect(about?.textContent).toBe("MCP server gituvx mcp-server-git");
});

it("stops the one that was chosen, by keyboard, and shows that it is gone", async () => {
  let running = [server, { ...server, id: 8, command: "sleep 100" }];
  const fake = createFake({
    handlers: {
      list_processes: () => running,
      stop_process: ({ id }) => {
        running = running.filter((one) => one.id !== id);
        return null;
      },
    },
  });
  await renderOn(fake, <Processes />);
  const buttons = await screen.findAllByRole("button", { name: "Stop process" });
  buttons[1]?.focus();
  await userEvent.keyboard("{Enter}");
  expect(sent(fake, "stop_process")).toEqual([{ id: 8 }]);
  await waitFor(() => expect(screen.getAllByRole("listitem")).toHaveLength(1));
});

it("says so when nothing runs, and when it can't be found out", async () => {
  await renderOn(createFake({ handlers: { list_processes: () => [] } }), <Processes />);
  expect(await screen.findByText(/Nothing is running/)).toBeTruthy();
  cleanup();
  const broken = createFake({ handlers: { list_processes: () => fail("INTERNAL", "It broke.") } });
  await renderOn(broken, <Processes />);
  expect(await screen.findByText(/It broke/)).toBeTruthy();
});
