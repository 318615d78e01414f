/** The platform over HTTP: the window in a browser, served by `arki serve --ui`. Its commands are those of the protocol. */
import type { BrowserAccess, DragStep, ExportFormat } from "../../protocol/generated";
import { hearFrames, painted } from "../frames";
import type { Answer, CommandName, Params, Platform } from "../platform";
import { commanded, commandedInSteps } from "./requests";

export function httpPlatform(access: BrowserAccess): Platform {
  const allowed = new Set(access.commands);
  const call = async <Name extends CommandName>(name: Name, params: Params<Name>): Promise<Answer<Name>> =>
    (name === "export_session"
      ? download(params as Params<"export_session">)
      : commanded(name, params)) as Promise<Answer<Name>>;
  const dropped: File[] = [];
  return {
    call,
    can: (name) => name === "export_session" || allowed.has(name),
    pageFiles: {
      choose: chooseFiles,
      takeDropped: () => dropped.splice(0),
    },
    testProvider: (params, onStep) =>
      commandedInSteps("test_provider", params, onStep) as Promise<Answer<"test_provider">>,
    testMcpServer: (params, onStep) =>
      commandedInSteps("test_mcp_server", params, onStep) as Promise<Answer<"test_mcp_server">>,
    subscribe: (onFrame) => hearFrames(call, onFrame),
    // No other program hands a folder or a session to a page.
    onProject: async () => () => undefined,
    onAsked: async () => () => undefined,
    onDrag: async (heard) => hearDrags(heard, dropped),
    setZoom: async (factor) => document.documentElement.style.setProperty("zoom", `${factor}`),
    // The page's title has the number, too.
    setBadge: async () => undefined,
    openLink: async (url) => void window.open(url, "_blank", "noopener,noreferrer"),
    painted,
  };
}

/** The browser keeps the file where it keeps all, and tells nobody where. */
async function download({ sessionId, format }: { sessionId: string; format: ExportFormat }): Promise<null> {
  const link = document.createElement("a");
  link.href = `v1/sessions/${encodeURIComponent(sessionId)}/export?format=${format}`;
  link.download = "";
  link.click();
  return null;
}

function chooseFiles(): Promise<File[]> {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  return new Promise((resolve) => {
    input.addEventListener("change", () => resolve([...(input.files ?? [])]));
    input.addEventListener("cancel", () => resolve([]));
    input.click();
  });
}

const taken = new WeakSet<Event>();

/** A drag that leaves one element enters another first. */
function hearDrags(heard: (step: DragStep) => void, dropped: File[]): () => void {
  let depth = 0;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  const steps: Record<(typeof kinds)[number], (event: DragEvent) => void> = {
    dragenter: () => {
      depth += 1;
      if (depth === 1) heard("over");
    },
    dragover: () => undefined,
    dragleave: () => {
      depth -= 1;
      if (depth === 0) heard("left");
    },
    drop: (event) => {
      depth = 0;
      // Whoever hears it first takes them.
      if (!taken.has(event)) dropped.push(...(event.dataTransfer?.files ?? []));
      taken.add(event);
      heard("dropped");
    },
  };
  const hear = (kind: (typeof kinds)[number]) => (event: DragEvent) => {
    if (!hasFiles(event)) return;
    // Otherwise the browser would open them in the window's stead.
    event.preventDefault();
    steps[kind](event);
  };
  const listeners = kinds.map((kind) => [kind, hear(kind)] as const);
  for (const [kind, listener] of listeners) window.addEventListener(kind, listener);
  return () => {
    for (const [kind, listener] of listeners) window.removeEventListener(kind, listener);
  };
}

const kinds = ["dragenter", "dragover", "dragleave", "drop"] as const;
