import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { offeredBy } from "../../app/browser_commands";
import { draftsOf } from "../../app/commands";
import { offered } from "../../components/can";
import type { BrowserAccess, DragStep } from "../../protocol/generated";
import { httpPlatform } from ".";
import { accessHere } from "./requests";

const access: BrowserAccess = { rights: "decide", commands: ["list_sessions", "resolve_approval"] };
const asked = vi.fn<(path: string, init: RequestInit) => Promise<Response>>();

const json = (status: number, body: unknown) =>
  Promise.resolve(new Response(JSON.stringify(body), { status }));

beforeEach(() => vi.stubGlobal("fetch", asked));
afterEach(() => {
  vi.unstubAllGlobals();
  asked.mockReset();
});

describe("a command over HTTP", () => {
  it("is asked below the page, by its name, with the tab's own", async () => {
    asked.mockReturnValue(json(200, [{ sessionId: "a" }]));
    const platform = httpPlatform(access);
    expect(await platform.call("list_sessions", {})).toEqual([{ sessionId: "a" }]);
    await platform.call("list_sessions", {});
    const [[path, init], [, again]] = asked.mock.calls as [[string, RequestInit], [string, RequestInit]];
    expect(path).toBe("v1/commands/list_sessions");
    expect(init).toMatchObject({ method: "POST", body: "{}", credentials: "same-origin" });
    const named = (of: RequestInit) => new Headers(of.headers).get("arki-client");
    expect(named(init)).toBeTruthy();
    expect(named(again)).toBe(named(init));
  });

  it("fails with the engine's words, and with others where nobody answers", async () => {
    const platform = httpPlatform(access);
    const words = { code: "SESSION_BUSY", message: "It works.", hint: "Wait." };
    asked.mockReturnValueOnce(json(409, words));
    await expect(platform.call("list_sessions", {})).rejects.toEqual(words);
    asked.mockReturnValueOnce(Promise.reject(new TypeError("Failed to fetch")));
    await expect(platform.call("list_sessions", {})).rejects.toMatchObject({ code: "WINDOW" });
    asked.mockReturnValueOnce(Promise.resolve(new Response("<html>", { status: 502 })));
    await expect(platform.call("list_sessions", {})).rejects.toMatchObject({ code: "WINDOW" });
  });

  it("tells its steps as they come, however they are cut", async () => {
    const pieces = ['{"step":{"a":1}}\n{"st', 'ep":{"a":2}}\n{"result":true}\n'];
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    asked.mockReturnValue(Promise.resolve(new Response(body)));
    const steps: unknown[] = [];
    const done = await httpPlatform(access).testProvider({ provider: "mock", model: null }, (step) =>
      steps.push(step),
    );
    expect([steps, done]).toEqual([[{ a: 1 }, { a: 2 }], true]);
  });
});

describe("who may ask", () => {
  it("is nobody without a cookie", async () => {
    asked.mockReturnValueOnce(json(401, { code: "AUTHENTICATION_REQUIRED", message: "", hint: "" }));
    expect(await accessHere()).toBeNull();
    asked.mockReturnValueOnce(json(200, access));
    expect(await accessHere()).toEqual(access);
  });

  it("is offered what the server answers, and no more", () => {
    const { can } = httpPlatform(access);
    expect([can("resolve_approval"), can("send_message"), can("export_session")]).toEqual([
      true,
      false,
      true,
    ]);
    const actions = [
      null,
      { needs: "send_message" as const },
      null,
      {},
      null,
      { needs: "add_rule" as const },
    ];
    expect(offered(actions, can)).toEqual([{}]);
    expect(offered([{}, null, { needs: "send_message" as const }, null, {}], can)).toEqual([{}, null, {}]);
  });

  it("finds every command of the palette that a browser may lack", () => {
    const { isOffered, ownDrafts } = offeredBy(httpPlatform(access));
    const act = new Proxy({}, { get: () => () => undefined }) as Parameters<typeof draftsOf>[0];
    const left = draftsOf(act, []).filter(({ id }) => isOffered(id));
    const ids = left.map(({ id }) => id);
    for (const id of ["settings", "editor", "window", "import", "import-codex", "all", "delete", "pipelines"])
      expect(ids).not.toContain(id);
    for (const id of ["stop", "export html", "timeline", "ask", "keys"]) expect(ids).toContain(id);
    expect(ownDrafts().map(({ id }) => id)).toEqual(["sign-out"]);
  });
});

describe("files that are dragged", () => {
  it("are taken once, and leave when they leave", async () => {
    const platform = httpPlatform(access);
    const steps: DragStep[] = [];
    const stops = await Promise.all([
      platform.onDrag((step) => steps.push(step)),
      platform.onDrag(() => undefined),
    ]);
    const file = new File(["a"], "a.png", { type: "image/png" });
    const drag = (kind: string, types = ["Files"]) => {
      const event = new Event(kind, { cancelable: true });
      Object.defineProperty(event, "dataTransfer", { value: { types, files: [file] } });
      window.dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(drag("dragenter", ["text/plain"])).toBe(false);
    for (const kind of ["dragenter", "dragenter", "dragleave", "dragleave", "dragenter", "drop"]) drag(kind);
    expect(steps).toEqual(["over", "left", "over", "dropped"]);
    expect(platform.pageFiles?.takeDropped()).toEqual([file]);
    expect(platform.pageFiles?.takeDropped()).toEqual([]);
    for (const stop of stops) stop();
  });
});
