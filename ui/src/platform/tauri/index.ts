/** The platform over Tauri's IPC. The only module that may import `@tauri-apps/*`. */
import { Channel, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import type { Frame, ProjectState } from "../../protocol/generated";
import type { Platform } from "../platform";

export const tauriPlatform: Platform = {
  call: (name, params) => invoke(name, params),
  testProvider: (params, onStep) => invoke("test_provider", { ...params, onStep: new Channel(onStep) }),
  testMcpServer: (params, onStep) => invoke("test_mcp_server", { ...params, onStep: new Channel(onStep) }),
  subscribe: (onFrame) => listen<Frame>("arki://frame", (event) => onFrame(event.payload)),
  onProject: (opened) => listen<ProjectState>("arki://project", (event) => opened(event.payload)),
  openLink: (url) => invoke("plugin:opener|open_url", { url }),
};
