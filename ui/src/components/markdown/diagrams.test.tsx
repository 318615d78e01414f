import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { maxDiagramChars } from "./diagram/drawings";
import { Markdown } from "./Markdown";

// What jsdom lacks and Mermaid measures with.
const box = () => ({ x: 0, y: 0, width: 40, height: 20 }) as DOMRect;
Object.assign(SVGElement.prototype, { getBBox: box, getComputedTextLength: () => 40 });

afterEach(() => {
  delete document.documentElement.dataset.theme;
});

const fenced = (code: string) => `Look:\n\n\`\`\`mermaid\n${code}\n\`\`\`\n`;

function show(code: string) {
  const before = document.body.children.length;
  const { container } = render(<Markdown text={fenced(code)} onLink={vi.fn()} />);
  const nothingLeft = () => expect(document.body.children.length).toBe(before + 1);
  return { el: container, nothingLeft };
}

/** What the picture is made of. */
function pictured(img: HTMLElement): Document {
  const [head, text = ""] = (img.getAttribute("src") ?? "").split(",");
  expect(head).toBe("data:image/svg+xml;charset=utf-8");
  const picture = new DOMParser().parseFromString(decodeURIComponent(text), "image/svg+xml");
  expect(picture.querySelector("parsererror")).toBeNull();
  return picture;
}

describe("diagrams", () => {
  it("are pictures, with their code behind a button", async () => {
    const code = "flowchart TD\n  accTitle: How it goes\n  accDescr: From one to two\n  a[One] --> b[Two]";
    const { el, nothingLeft } = show(code);
    const img = await screen.findByRole("img", { name: "How it goes. From one to two" });
    expect(pictured(img).documentElement.textContent).toContain("Two");
    nothingLeft();
    await userEvent.click(screen.getByRole("button", { name: "Show code" }));
    expect(screen.queryByRole("img")).toBeNull();
    expect(el.querySelector("pre")?.textContent).toBe(code);
    await userEvent.click(screen.getByRole("button", { name: "Show diagram" }));
    expect(screen.getByRole("img")).toBeDefined();
    expect(screen.getByRole("button", { name: "Copy code" })).toBeDefined();
  });

  it("are drawn anew in another theme", async () => {
    show("sequenceDiagram\n  A->>B: Hello");
    const light = (await screen.findByRole("img", { name: "Diagram" })).getAttribute("src");
    document.documentElement.dataset.theme = "dark";
    await waitFor(() => expect(screen.getByRole("img").getAttribute("src")).not.toBe(light));
  });

  it.each([
    ["what is no diagram", "nonsense\n  a --> b", "No diagram type"],
    ["a mistake", "flowchart TD\n  a --> ", "Parse error"],
    ["too much text", `flowchart TD\n  %% ${"x".repeat(maxDiagramChars)}`, "too long"],
    ["boxes without number", "block\n  columns 3\n  space:300000\n  a", "too large"],
    ["bits without number", '---\ntitle: x\n---\n%% x\npacket\n0-300000000: "x"', "too large"],
    ["too many edges", `flowchart TD\n  a${" --> a".repeat(500)}`, "edges"],
  ])("that can't be drawn are their code, with the reason: %s", async (_, code, reason) => {
    const { el, nothingLeft } = show(code);
    const said = (await screen.findByText(/can't be drawn/)).closest(".secondary");
    expect(said?.textContent).toContain(reason);
    expect(said?.textContent?.length).toBeLessThan(400);
    expect(el.querySelector("pre")?.textContent).toBe(code);
    expect(el.querySelector("img")).toBeNull();
    nothingLeft();
  });

  it("with a mistake show what the parser points at, line by line", async () => {
    const { el } = show("flowchart TD\n  a --> ");
    await screen.findByText(/can't be drawn/);
    const [first, second, pointer] = el.querySelector(".diagram-problem")?.textContent?.split("\n") ?? [];
    expect(first).toMatch(/^Parse error/);
    expect(second).toContain("a -->");
    expect(pointer).toMatch(/^-+\^$/);
  });

  it("are code while they arrive, also in a list", () => {
    for (const text of ["```mermaid\nflowchart TD\n a --> b\n", "- x\n  ```mermaid\n  flowchart TD\n"]) {
      const { container } = render(<Markdown text={text} onLink={vi.fn()} streaming />);
      expect(container.querySelector("pre")?.textContent).toContain("flowchart TD");
    }
  });

  it("that ask for a layout that is left out have the usual one", async () => {
    show("---\nconfig:\n  layout: elk\n---\nflowchart-elk TD\n  a --> b");
    expect(await screen.findByRole("img")).toBeDefined();
  });

  it("are drawn in a list", async () => {
    render(<Markdown text={'- x\n  ```mermaid\n  pie\n    "a" : 1\n  ```\n'} onLink={vi.fn()} />);
    expect(await screen.findByRole("img")).toBeDefined();
  });
});

describe("diagrams from a hostile model", () => {
  it.each([
    'flowchart TD\n  a --> b\n  click a "javascript:alert(1)"\n  click b call alert(1)',
    'flowchart TD\n  a["<img src=x onerror=alert(1)>"] --> b["<script>alert(1)</script>"]',
    '%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\nflowchart TD\n  a["<img src=x onerror=alert(1)>"] --> b',
    '---\nconfig:\n  securityLevel: loose\n  flowchart:\n    htmlLabels: true\n---\nflowchart TD\n  a["<b onclick=alert(1)>x</b>"]',
    "sequenceDiagram\n  participant A as <img src=x onerror=alert(1)>\n  link A: x @ javascript:alert(1)\n  A->>A: <svg onload=alert(1)>",
    'classDiagram\n  class A\n  click A href "javascript:alert(1)"',
  ])("run nothing, within their picture or beside it: %s", async (code) => {
    const { el, nothingLeft } = show(code);
    const img = await screen.findByRole("img");
    expect(el.querySelector("svg a, script, [onerror], [onclick], [onload], iframe")).toBeNull();
    const picture = pictured(img);
    for (const one of picture.querySelectorAll("*")) {
      expect(one.localName).not.toMatch(/^(script|iframe|img|foreignObject)$/i);
      for (const { name, value } of one.attributes) {
        expect(name).not.toMatch(/^on/i);
        expect(value).not.toMatch(/^\s*javascript:/i);
      }
    }
    nothingLeft();
  });

  it("set no looks of the page and no font", async () => {
    const rules = "themeCSS: '} body { display: none } .x {'\n  fontFamily: 'x; } body { color: red'";
    show(`---\nconfig:\n  ${rules}\n---\nflowchart TD\n  a --> b`);
    const text = pictured(await screen.findByRole("img")).documentElement.outerHTML;
    expect(text).not.toMatch(/body|display: ?none|color: ?red/);
  });
});
