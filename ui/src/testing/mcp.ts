/** A configured MCP server as the engine lists it. */
import type { McpServerEntry } from "../protocol/generated";

export function mcpServer(part: Partial<McpServerEntry>): McpServerEntry {
  return {
    name: "git",
    transport: "stdio",
    place: "uvx mcp-server-git",
    origin: "user",
    state: "idle",
    failure: null,
    category: "network",
    tools: null,
    isSearched: false,
    estimatedTokens: 0,
    changed: [],
    refused: [],
    digest: "d1",
    settings: { command: "uvx", args: ["mcp-server-git"], env: [], network: false, url: null, headers: [] },
    ...part,
  };
}
