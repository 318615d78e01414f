import { fireEvent, render } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { Markdown } from "./Markdown";
import css from "./markdown.css?raw";

function shown(text: string) {
  const onLink = vi.fn();
  const { container } = render(<Markdown text={text} onLink={onLink} />);
  return { el: container, onLink };
}

describe("Markdown from a hostile model", () => {
  it("shows what would turn words round, in code all of it", () => {
    const { el } = shown("a \u202ehcae\u202c `b \u2066c\u2069`\n\n```\nd \u202ee\n```\n\n\u2067\u0634\u2069");
    const boxes = [...el.querySelectorAll(".boxed")].map((box) => box.textContent);
    expect(boxes).toEqual(["U+202E", "U+2066", "U+2069", "U+202E"]);
    const raw = shown("<b>\u202ehcae</b>").el;
    expect(raw.querySelector(".boxed")?.textContent).toBe("U+202E");
    // As many as a hostile model likes: no element for each.
    const many = shown(`\`${"\u202e".repeat(5_000)}\``).el;
    expect(many.querySelectorAll(".boxed")).toHaveLength(0);
    expect(many.textContent).toContain("[U+202E][U+202E]");
  });

  it.each([
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "text <b onclick=alert(1)>bold</b>",
    "<svg/onload=alert(1)>\n\n<style>*{display:none}</style>",
    "<iframe src=https://example.org></iframe>",
  ])("shows raw HTML as text: %s", (html) => {
    const { el } = shown(html);
    expect(el.querySelector("img, script, b, svg, style, iframe")).toBeNull();
    expect(el.textContent?.replace(/\s/g, "")).toBe(html.replace(/\s/g, ""));
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vbscript:x",
    "JaVaScRiPt:alert(1)",
    "/relative",
  ])("makes no link of %s", (href) => {
    const { el } = shown(`[click](${href})`);
    expect(el.querySelector("a")).toBeNull();
    expect(el.textContent).toBe("click");
  });

  it("loads no image, remote or inline", () => {
    const { el } = shown("![pixel](https://example.org/t.png) ![](data:image/png;base64,AA)");
    expect(el.querySelector("img")).toBeNull();
    expect(el.textContent).toContain("[image: pixel]");
  });

  it("opens an allowed link through the platform alone", () => {
    const { el, onLink } = shown("[docs](https://example.org/a?b=1)");
    const link = el.querySelector("a");
    if (!link) throw new Error("no link");
    expect(fireEvent.click(link)).toBe(false);
    expect(onLink).toHaveBeenCalledExactlyOnceWith("https://example.org/a?b=1", "docs");
  });

  it("is not fooled by entities", () => {
    const { el } = shown("&lt;img src=x&gt; &#106; [x](&#106;avascript:alert(1))");
    expect(el.querySelector("img, a")).toBeNull();
    expect(el.textContent).toContain("<img src=x> j");
  });
});

describe("Markdown", () => {
  it("draws the usual elements", () => {
    const { el } = shown(
      "# T\n\n**b** _i_ `c`\n\n1. one\n2. two\n\n- [x] done\n\n|a|b|\n|-|-:|\n|1|2|\n\n> q",
    );
    for (const tag of ["h3", "strong", "em", "code", "ol li", "ul li", "table td", "blockquote"]) {
      expect(el.querySelector(tag), tag).not.toBeNull();
    }
  });

  it("wraps a table's headers between words and its cells anywhere", () => {
    const { el } = shown(`|Configuration directory|\`promptTokens\`|\n|-|-|\n|${"x".repeat(200)}|\`y\`|`);
    const style = (selector: string) => {
      const found = el.querySelector(selector);
      if (!found) throw new Error(`no ${selector}`);
      return getComputedStyle(found);
    };
    const sheet = document.createElement("style");
    sheet.textContent = css;
    document.head.append(sheet);
    expect(el.querySelector(".markdown-table th")?.textContent).toBe("Configuration directory");
    for (const whole of ["th", "th code"])
      expect(style(`.markdown-table ${whole}`).overflowWrap, whole).toBe("normal");
    expect(style(".markdown-table th").whiteSpace).not.toBe("nowrap");
    expect(style(".markdown-table td code").overflowWrap).toBe("anywhere");
    expect(style(".markdown").overflowWrap).toBe("anywhere");
    sheet.remove();
  });

  it("moves lists in further at each of ten levels, and no further below them", () => {
    const levels = Array.from({ length: 13 }, (_, level) => `${"  ".repeat(level)}- x`).join("\n");
    const { el } = shown(levels);
    const sheet = document.createElement("style");
    sheet.textContent = css;
    document.head.append(sheet);
    const indents = [...el.querySelectorAll("ul")].map((list) => getComputedStyle(list).paddingInlineStart);
    sheet.remove();
    const [wide, less] = [Array(4).fill("var(--s6)"), Array(6).fill("var(--s3)")];
    expect(indents).toEqual([...wide, ...less, "0", "0", "0"]);
  });

  it("keeps finished blocks while the last one is still arriving", () => {
    const { container, rerender } = render(<Markdown text={"First.\n\nSec"} onLink={() => {}} streaming />);
    const first = container.querySelector("p");
    rerender(<Markdown text={"First.\n\nSecond and ```"} onLink={() => {}} streaming />);
    expect(container.querySelector("p")).toBe(first);
    expect(container.textContent).toContain("Second and");
  });

  it("shows an unfinished code block as code", () => {
    expect(shown("```rust\nfn main() {").el.querySelector("pre")?.textContent).toBe("fn main() {");
  });
});
