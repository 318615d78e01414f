/** The platform over Tauri's IPC. The only module that may import `@tauri-apps/*`. */
import { Channel, invoke } from "@tauri-apps/api/core";
import { type EventCallback, listen } from "@tauri-apps/api/event";
import type { Commands, DragStep, ProjectState } from "../../protocol/generated";
import { hearFrames, painted } from "../frames";
import type { Answer, Params, Platform } from "../platform";

export const tauriPlatform: Platform = {
  call: ask,
  can: () => true,
  pageFiles: null,
  testProvider: (params, onStep) => ask("test_provider", params, { onStep: new Channel(onStep) }),
  testMcpServer: (params, onStep) => ask("test_mcp_server", params, { onStep: new Channel(onStep) }),
  subscribe: (onFrame) => hearFrames(ask, onFrame),
  onProject: (opened) => hear<ProjectState>("arki://project", (event) => opened(event.payload)),
  onAsked: async (heard) => {
    const take = async () => {
      for (const asked of await ask("take_asked", {})) heard(asked);
    };
    const stop = await hear("arki://asked", () => void take());
    // What it was opened for.
    void take();
    return stop;
  },
  onDrag: (heard) => hear<DragStep>("arki://drag", (event) => heard(event.payload)),
  // By its name: Tauri's module for it brings all about windows along, and all of that is read before the first content.
  setZoom: (value) => invoke("plugin:webview|set_webview_zoom", { value }),
  setBadge: (value) => invoke("plugin:window|set_badge_count", { value }),
  openLink: (url) => invoke("plugin:opener|open_url", { url }),
  painted,
};

function ask<Name extends keyof Commands>(
  name: Name,
  params: Params<Name>,
  channels: Record<string, Channel<never>> = {},
): Promise<Answer<Name>> {
  return invoke("call", { name, params, ...channels });
}

/** What is sent to this window, and not what is sent to another. */
function hear<T>(event: string, handler: EventCallback<T>): Promise<() => void> {
  const { label } = window.__TAURI_INTERNALS__.metadata.currentWindow;
  return listen(event, handler, { target: label });
}

declare global {
  interface Window {
    /** What Tauri itself reads of it; its module for windows would bring all about windows along. */
    __TAURI_INTERNALS__: { metadata: { currentWindow: { label: string } } };
  }
}
