/** The looks that are chosen in the settings: each tells the style sheets, and is kept. */
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { App } from "./App";

const root = document.documentElement;

afterEach(() => {
  for (const mark of Object.keys(root.dataset)) delete root.dataset[mark];
  root.removeAttribute("style");
  vi.restoreAllMocks();
});

async function open() {
  const view = await renderOn(createFake({}), <App />);
  await userEvent.keyboard("{Control>},{/Control}");
  await userEvent.click(await screen.findByText("Appearance"));
  return view;
}

describe("what is chosen under Appearance", () => {
  it.each([
    ["Larger", "text", "larger"],
    ["Dark", "theme", "dark"],
    ["Compact", "density", "compact"],
    ["High", "contrast", "high"],
  ])("%s holds at once, and in the next window", async (name, mark, value) => {
    const view = await open();
    await userEvent.click(await screen.findByRole("radio", { name }));
    expect(root.dataset[mark]).toBe(value);
    view.unmount();
    delete root.dataset[mark];
    await renderOn(createFake({}), <App />);
    expect(root.dataset[mark]).toBe(value);
  });
});

describe("contrast", () => {
  it("is the system's, and follows it, until one is chosen", async () => {
    const system = Object.assign(new EventTarget(), { matches: true }) as MediaQueryList;
    const asked = window.matchMedia;
    vi.spyOn(window, "matchMedia").mockImplementation((media) =>
      media.includes("prefers-contrast") ? system : asked(media),
    );
    await open();
    expect(root.dataset.contrast).toBe("high");
    Object.assign(system, { matches: false });
    act(() => void system.dispatchEvent(new Event("change")));
    expect(root.dataset.contrast).toBeUndefined();
    Object.assign(system, { matches: true });
    act(() => void system.dispatchEvent(new Event("change")));
    await userEvent.click(await screen.findByRole("radio", { name: "Normal" }));
    expect(root.dataset.contrast).toBeUndefined();
  });
});

/** As wide as its letters, but for the families that are there. */
function installed(...families: string[]) {
  const pen = {
    font: "",
    measureText: () => ({ width: families.some((one) => pen.font.includes(one)) ? 2 : 1 }),
  };
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(pen as never);
}

describe("the font of code", () => {
  const mono = () => root.style.getPropertyValue("--mono");

  it("is one that is installed, and is kept", async () => {
    installed("Fira Code");
    const view = await open();
    const field = await screen.findByRole("textbox", { name: "Code font" });
    await userEvent.type(field, "Fira Cod");
    expect(mono()).toBe("");
    expect(screen.getByText(/No font with this name is installed/)).toBeTruthy();
    await userEvent.type(field, "e");
    expect(mono()).toBe('"Fira Code", monospace');
    expect(screen.queryByText(/No font with this name/)).toBeNull();
    view.unmount();
    root.removeAttribute("style");
    await open();
    expect(mono()).toBe('"Fira Code", monospace');
    await userEvent.clear(await screen.findByRole("textbox", { name: "Code font" }));
    expect(mono()).toBe("");
  });

  it.each(['x", url(//a.example/x', "a;color:red", "}", "a\\b", "x".repeat(65)])(
    "can't be %s, which would say more than a name",
    async (name) => {
      installed("");
      await open();
      const field = await screen.findByRole("textbox", { name: "Code font" });
      await userEvent.click(field);
      await userEvent.paste(name);
      expect(mono()).toBe("");
      expect(screen.getByText(/Use letters, digits/)).toBeTruthy();
      expect(field.getAttribute("aria-invalid")).toBe("true");
    },
  );

  it("is the system's where what is kept is no name", async () => {
    localStorage.setItem("arki.code-font", 'x", url(//a.example/x');
    await renderOn(createFake({}), <App />);
    await waitFor(() => expect(screen.getByRole("button", { name: "Settings" })).toBeTruthy());
    expect(mono()).toBe("");
  });
});
