/** Words that are read to the left, and a window that is. */
import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";
import "../styles/base.css";

const title = "שינוי שם הרכיב";
const prompt = "שנה את השם בכל מקום";
const answer = "אחפש תחילה את השימושים";
const intent = "לשנות את השם בזהירות";
const step = "למצוא את כל הקבצים";
const question = "באיזה שם להשתמש?";

async function open() {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const log = eventLog("s");
  log.add("run.started", { prompt });
  log.add("output.message", { content: answer });
  log.add("plan.proposed", { intent, steps: [{ title: step, state: "pending" }] });
  log.add("tool.call", { callId: "c", toolId: "ask_user", args: { question, options: [] } });
  log.add("question.asked", { callId: "c", questionId: "q", text: question, options: [] });
  log.add("message.queued", { messageId: "m", text: `${prompt}!` });
  const session = sessionOf({ title, state: "waiting" });
  await renderOn(createFake({ sessions: [session], logs: { s: log.events } }), <App />);
}

afterEach(() => document.documentElement.removeAttribute("dir"));

describe("what people and models write", () => {
  it("is read in its own direction, wherever it stands", async () => {
    await open();
    await userEvent.click(await screen.findByRole("tab", { name: "Plan" }));
    await screen.findByText(step);
    for (const words of [title, prompt, answer, intent, step, question, `${prompt}!`]) {
      const shown = await screen.findAllByText(words, { ignore: ".sr-only, .sr-only *" });
      const astray = shown.filter((one) => one.closest("[dir]")?.getAttribute("dir") !== "auto");
      expect(
        astray.map((one) => one.outerHTML),
        words,
      ).toEqual([]);
    }
    const message = screen.getByRole("textbox", { name: "Message" });
    expect(message.getAttribute("dir")).toBe("auto");
  });
});

describe("a window that is read to the left", () => {
  const inspector = () => screen.getByRole("separator", { name: "Width of the inspector" });
  const sidebar = () => screen.getByRole("separator", { name: "Width of the sessions" });
  const width = (of: HTMLElement) => Number(of.getAttribute("aria-valuenow"));

  it.each(["ltr", "rtl"])("has its borders moved the way the key points: %s", async (dir) => {
    document.documentElement.dir = dir;
    await open();
    await waitFor(inspector);
    await waitFor(sidebar);
    const [left, right] = [width(sidebar()), width(inspector())];
    const on = dir === "ltr" ? 16 : -16;
    fireEvent.keyDown(sidebar(), { key: "ArrowRight" });
    fireEvent.keyDown(inspector(), { key: "ArrowRight" });
    expect([width(sidebar()) - left, width(inspector()) - right]).toEqual([on, -on]);
  });

  it.each(["ltr", "rtl"])("has its borders dragged with the pointer: %s", async (dir) => {
    document.documentElement.dir = dir;
    HTMLElement.prototype.setPointerCapture = () => undefined;
    await open();
    const handle = await waitFor(sidebar);
    const before = width(handle);
    // jsdom's pointer events have no place.
    const point = (type: string, clientX: number) =>
      fireEvent(handle, new MouseEvent(type, { clientX, bubbles: true }));
    point("pointerdown", 500);
    point("pointermove", 540);
    point("pointerup", 540);
    expect(width(sidebar()) - before).toBe(dir === "ltr" ? 40 : -40);
  });

  it("has its tabs walked the other way", async () => {
    document.documentElement.dir = "rtl";
    await open();
    const changes = await screen.findByRole("tab", { name: "Changes" });
    changes.focus();
    await userEvent.keyboard("{ArrowLeft}");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("tab", { name: "Timeline" })));
  });

  it("keeps code and diffs as they are read", async () => {
    document.documentElement.dir = "rtl";
    await open();
    const box = document.createElement("div");
    box.innerHTML = '<pre>a</pre><code>b</code><p class="mono">c</p><p class="mono" dir="auto">d</p><p>e</p>';
    document.body.append(box);
    const directions = [...box.children].map((one) => getComputedStyle(one).direction);
    box.remove();
    expect(directions.slice(0, 3)).toEqual(["ltr", "ltr", "ltr"]);
    expect(directions.slice(3)).not.toContain("ltr");
  });
});
