import { render, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { Markdown } from "./Markdown";

async function drawn(text: string, streaming = false) {
  const { container } = render(<Markdown text={text} onLink={vi.fn()} streaming={streaming} />);
  await waitFor(() => expect(container.querySelector("math, code[title]")).not.toBeNull());
  return container;
}

const source = (el: Element) => el.querySelector(".formula-source");

describe("formulas", () => {
  it("are MathML among the words, and in lines of their own", async () => {
    const el = await drawn("Let $x^2$ be\n\n\\[\n\n\\frac{1}{2}\n\n\\]\n\n- $$y$$");
    await waitFor(() => expect(el.querySelectorAll("math")).toHaveLength(3));
    expect(el.querySelector("p msup")?.textContent).toBe("x2");
    expect(el.querySelectorAll("math[display=block]")).toHaveLength(2);
    expect(el.querySelector(".formula-display mfrac")).not.toBeNull();
  });

  it("are copied as they were written", async () => {
    const el = await drawn("Let $x^2$ be");
    expect(source(el)?.textContent).toBe("$x^2$");
    expect(source(el)?.getAttribute("aria-hidden")).toBe("true");
  });

  it("are left alone in code", () => {
    const { container } = render(<Markdown text={"`$x$`\n\n```\n$$y$$\n```"} onLink={vi.fn()} />);
    expect(container.querySelector(".formula")).toBeNull();
    expect(container.textContent).toContain("$x$");
  });

  it("are their source while they arrive", () => {
    const { container } = render(<Markdown text={"$$\nx\n"} onLink={vi.fn()} streaming />);
    expect(container.querySelector(".formula")).toBeNull();
    expect(container.textContent).toContain("$$\nx");
  });

  it.each([
    ["an unknown command", "\\nonsense"],
    ["an unfinished group", "\\frac{1"],
    ["a bomb of commands", "\\def\\x{\\x\\x}\\x"],
    ["another one", "\\newcommand{\\x}{\\x\\x}\\x"],
    ["too many levels", `${"\\sqrt{".repeat(300)}x${"}".repeat(300)}`],
    ["very many levels", `${"{x^".repeat(900)}x${"}".repeat(900)}`],
  ])("that can't be drawn are their source, with the reason: %s", async (_, tex) => {
    const el = await drawn(`$${tex}$`);
    expect(el.querySelector("math")).toBeNull();
    expect(source(el)?.textContent).toBe(`$${tex}$`);
    expect(source(el)?.getAttribute("aria-hidden")).toBeNull();
    expect(source(el)?.getAttribute("title")?.length).toBeLessThan(300);
  });

  it.each([
    "\\href{javascript:alert(1)}{x}",
    "\\href{https://example.org}{x}",
    "\\url{https://example.org}",
    "\\includegraphics[width=1em]{https://example.org/t.png}",
    "\\htmlStyle{position:fixed}{x}",
    "\\htmlId{root}{x}",
    "\\htmlData{a=b}{x}",
    "\\text{<img src=x onerror=alert(1)>}",
  ])("lead nowhere, load nothing and style nothing: %s", async (tex) => {
    const el = await drawn(`$${tex}$`);
    expect(el.querySelector("a, img, script, [href], [src], [id], [data-a], [onerror]")).toBeNull();
    for (const styled of el.querySelectorAll<HTMLElement>("math [style]")) {
      expect(styled.style.position).toBe("");
    }
  });

  it("are no larger than a few letters where they say so", async () => {
    const el = await drawn("$\\rule{9000em}{9000em}\\hspace{9000em}$");
    for (const sized of el.querySelectorAll("math *")) {
      for (const { value } of sized.attributes) expect(value).not.toContain("9000");
    }
  });
});
