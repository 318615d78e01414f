import { cleanup, createEvent, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef } from "react";
import { describe, expect, it, vi } from "vitest";
import { Composer } from "./Composer";

let session = 0;

function shown(given: { running?: boolean; blocked?: string; accept?: boolean } = {}) {
  session += 1;
  const onSend = vi.fn(async (_text: string) => given.accept ?? true);
  const onStop = vi.fn();
  render(
    <Composer
      draftOf={`session ${session}`}
      running={given.running ?? false}
      blocked={given.blocked ?? null}
      onSend={onSend}
      onStop={onStop}
      inputRef={createRef()}
    />,
  );
  return { onSend, onStop, box: screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" }) };
}

describe("Composer", () => {
  it("sends with Enter and empties the box", async () => {
    const { onSend, box } = shown();
    await userEvent.type(box, "hello{Enter}");
    expect(onSend).toHaveBeenCalledExactlyOnceWith("hello");
    expect(box.value).toBe("");
  });

  it("makes a line with Shift+Enter", async () => {
    const { onSend, box } = shown();
    await userEvent.type(box, "a{Shift>}{Enter}{/Shift}b");
    expect(box.value).toBe("a\nb");
    expect(onSend).not.toHaveBeenCalled();
  });

  it("does not send the Enter that ends a composition", () => {
    const { onSend, box } = shown();
    fireEvent.change(box, { target: { value: "にほん" } });
    fireEvent.keyDown(box, { key: "Enter", isComposing: true });
    // WebKit has ended the composition by then and tells it only by the key code.
    const webkit = createEvent.keyDown(box, { key: "Enter", keyCode: 229 });
    fireEvent(box, webkit);
    expect(webkit.defaultPrevented).toBe(false);
    expect(onSend).not.toHaveBeenCalled();
    fireEvent.keyDown(box, { key: "Enter", keyCode: 13 });
    expect(onSend).toHaveBeenCalledExactlyOnceWith("にほん");
  });

  it("keeps the words when sending failed", async () => {
    const { box } = shown({ accept: false });
    await userEvent.type(box, "precious{Enter}");
    expect(box.value).toBe("precious");
  });

  it("sends nothing that is empty", async () => {
    const { onSend, box } = shown();
    await userEvent.type(box, "  {Enter}");
    expect(onSend).not.toHaveBeenCalled();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Send" }).disabled).toBe(true);
  });

  it("offers Stop in place of Send while a run is active, and Enter does not send", async () => {
    const { onSend, onStop, box } = shown({ running: true });
    expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
    await userEvent.type(box, "next{Enter}");
    expect(onSend).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole("button", { name: "Stop" }));
    expect(onStop).toHaveBeenCalledOnce();
  });

  it("keeps unsent words for their own session", async () => {
    const { box } = shown();
    await userEvent.type(box, "later");
    const again = {
      running: false,
      blocked: null,
      onSend: async () => true,
      onStop: () => {},
      inputRef: createRef<HTMLTextAreaElement>(),
    };
    cleanup();
    render(<Composer draftOf={`session ${session}`} {...again} />);
    expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("later");
    cleanup();
    render(<Composer draftOf="another" {...again} />);
    expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("");
  });

  it("says why nothing can be sent", () => {
    const { box } = shown({ blocked: "Open a folder first" });
    expect(box.disabled).toBe(true);
    expect(screen.getByText("Open a folder first").id).toBe(box.getAttribute("aria-describedby"));
  });
});
