/** The platform over Tauri's IPC. The only module that may import `@tauri-apps/*`. */
import { Channel, invoke } from "@tauri-apps/api/core";
import { type EventCallback, listen } from "@tauri-apps/api/event";
import type { Commands, DragStep, Frame, ProjectState } from "../../protocol/generated";
import { whenPainted } from "../painting";
import type { Answer, Params, Platform } from "../platform";

export const tauriPlatform: Platform = {
  call: ask,
  testProvider: (params, onStep) => ask("test_provider", params, { onStep: new Channel(onStep) }),
  testMcpServer: (params, onStep) => ask("test_mcp_server", params, { onStep: new Channel(onStep) }),
  subscribe: hearFrames,
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

/**
 * One frame is asked for after the other, each when the one before has been painted: none ever queues up. Where one is
 * refused, hearing begins anew, with word that frames were missed.
 */
async function hearFrames(onFrame: (frame: Frame) => void): Promise<() => void> {
  let over = false;
  const hear = async (number: number) => {
    while (!over) {
      const frame = await ask("next_frame", { number });
      if (over || frame === null) return;
      const heard = performance.now();
      onFrame(frame);
      // It is applied once a frame has been painted, and in sight with the next.
      await painted();
      do await painted();
      while (performance.now() - heard < betweenMs);
    }
  };
  const begin = () => ask("begin_frames", {});
  const hearOn = async (first: number) => {
    let number: number | null = first;
    while (!over) {
      try {
        number ??= await begin();
        if (number !== first) onFrame({ ...nothing, missed: true });
        return await hear(number);
      } catch {
        number = null;
        await new Promise((resolve) => setTimeout(resolve, againMs));
      }
    }
  };
  void hearOn(await begin());
  return () => {
    over = true;
  };
}

const againMs = 1_000;
const nothing = {
  events: [],
  conversations: [],
  deltas: [],
  commandOutput: [],
  callsGrow: [],
  elicitationsChanged: false,
};

/** Words that come with every second frame of 17 ms read as well as with each, and take a quarter less of a processor. */
const betweenMs = 25;

function painted(): Promise<void> {
  return new Promise((resolve) => void whenPainted(resolve));
}
