import { act, cleanup, createEvent, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef } from "react";
import { describe, expect, it, vi } from "vitest";
import { ArkiProvider } from "../../platform/context";
import { createFake } from "../../testing/fake";
import { renderOn } from "../../testing/render";
import { Composer } from "./Composer";

let session = 0;
const newSession = { folder: "/home/ada/code/arki", sessionId: null };

/** What assistive technology reads out beside the name. */
const described = (box: HTMLElement) =>
  (box.getAttribute("aria-describedby") ?? "")
    .split(" ")
    .map((id) => document.getElementById(id)?.textContent)
    .join(" ");

type Given = { run?: "running" | "waiting" | "paused"; blocked?: string; accept?: boolean };

async function shown(given: Given = {}) {
  session += 1;
  const onSend = vi.fn(async (_text: string, _mode: string | null) => given.accept ?? true);
  const onStop = vi.fn();
  const onPause = vi.fn();
  await renderOn(
    createFake({}),
    <Composer
      of={newSession}
      title={null}
      draftOf={`session ${session}`}
      run={given.run ?? null}
      blocked={given.blocked ?? null}
      onSend={onSend}
      onStop={onStop}
      onPause={onPause}
      onOpenFolder={() => {}}
      inputRef={createRef()}
    />,
  );
  return {
    onSend,
    onStop,
    onPause,
    box: screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" }),
  };
}

describe("Composer", () => {
  it("has the focus for a press on its edge", async () => {
    const { box } = await shown();
    expect(fireEvent.mouseDown(box.closest(".composer-box") as HTMLElement)).toBe(false);
    expect(document.activeElement).toBe(box);
  });

  it("sends with Enter and empties the box", async () => {
    const { onSend, box } = await shown();
    await userEvent.type(box, "hello{Enter}");
    expect(onSend).toHaveBeenCalledExactlyOnceWith("hello", null);
    expect(box.value).toBe("");
  });

  it("makes a line with Shift+Enter", async () => {
    const { onSend, box } = await shown();
    await userEvent.type(box, "a{Shift>}{Enter}{/Shift}b");
    expect(box.value).toBe("a\nb");
    expect(onSend).not.toHaveBeenCalled();
  });

  it("does not send the Enter that ends a composition", async () => {
    const { onSend, box } = await shown();
    fireEvent.change(box, { target: { value: "にほん" } });
    fireEvent.keyDown(box, { key: "Enter", isComposing: true });
    // WebKit has ended the composition by then and tells it only by the key code.
    const webkit = createEvent.keyDown(box, { key: "Enter", keyCode: 229 });
    fireEvent(box, webkit);
    expect(webkit.defaultPrevented).toBe(false);
    expect(onSend).not.toHaveBeenCalled();
    fireEvent.keyDown(box, { key: "Enter", keyCode: 13 });
    expect(onSend).toHaveBeenCalledExactlyOnceWith("にほん", null);
  });

  it("keeps what is written while it sends", async () => {
    let done = (_accepted: boolean) => {};
    session += 1;
    await renderOn(
      createFake({}),
      <Composer
        of={newSession}
        title={null}
        draftOf={`session ${session}`}
        run={null}
        blocked={null}
        onSend={() => new Promise<boolean>((resolve) => (done = resolve))}
        onStop={() => {}}
        onPause={() => {}}
        onOpenFolder={() => {}}
        inputRef={createRef()}
      />,
    );
    const box = screen.getByRole<HTMLTextAreaElement>("textbox");
    await userEvent.type(box, "sent{Enter} and more");
    await act(async () => done(true));
    expect(box.value).toBe(" and more");
  });

  it("keeps the words when sending failed", async () => {
    const { box } = await shown({ accept: false });
    await userEvent.type(box, "precious{Enter}");
    expect(box.value).toBe("precious");
  });

  it("sends nothing that is empty", async () => {
    const { onSend, box } = await shown();
    await userEvent.type(box, "  {Enter}");
    expect(onSend).not.toHaveBeenCalled();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Send" }).disabled).toBe(true);
  });

  it("queues while a run works: after it with Enter, into it with Alt+Enter, and says so", async () => {
    const { onSend, box } = await shown({ run: "running" });
    expect(described(box)).toContain("queues this for the next run");
    expect(described(box)).toContain("sends it to the current run");
    await userEvent.type(box, "later{Enter}");
    await userEvent.type(box, "now{Alt>}{Enter}{/Alt}");
    await userEvent.type(box, "now too");
    await userEvent.click(screen.getByRole("button", { name: "Steer" }));
    expect(onSend.mock.calls).toEqual([
      ["later", "follow_up"],
      ["now", "steer"],
      ["now too", "steer"],
    ]);
  });

  it("offers Pause and Stop while a run works, Stop alone once it stands, and neither without one", async () => {
    const { onStop, onPause } = await shown({ run: "running" });
    await userEvent.click(screen.getByRole("button", { name: "Pause" }));
    await userEvent.click(screen.getByRole("button", { name: "Stop" }));
    expect([onPause.mock.calls.length, onStop.mock.calls.length]).toEqual([1, 1]);
    cleanup();
    await shown({ run: "paused" });
    expect(screen.getByRole("button", { name: "Stop" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Pause" })).toBeNull();
    cleanup();
    await shown();
    expect(screen.getAllByRole("button").map((one) => one.getAttribute("aria-label"))).toEqual([
      "Attach files…",
      "Send",
    ]);
  });

  it("takes words that are put in, above what was written but not sent", async () => {
    const props = {
      of: newSession,
      title: null,
      draftOf: "given",
      run: null,
      blocked: null,
      onSend: async () => true,
      onStop: () => {},
      onPause: () => {},
      onOpenFolder: () => {},
      inputRef: createRef<HTMLTextAreaElement>(),
    };
    const { arki, rerender } = await renderOn(
      createFake({}),
      <Composer {...props} given={{ text: "rewound", at: 1 }} />,
    );
    const box = screen.getByRole<HTMLTextAreaElement>("textbox");
    expect(box.value).toBe("rewound");
    rerender(
      <ArkiProvider value={arki}>
        <Composer {...props} given={{ text: "other", at: 2 }} />
      </ArkiProvider>,
    );
    expect(box.value).toBe("other\n\nrewound");
  });

  it("keeps unsent words for their own session", async () => {
    const { box } = await shown();
    await userEvent.type(box, "later");
    const again = {
      of: newSession,
      title: null,
      run: null,
      blocked: null,
      onSend: async () => true,
      onStop: () => {},
      onPause: () => {},
      onOpenFolder: () => {},
      inputRef: createRef<HTMLTextAreaElement>(),
    };
    cleanup();
    await renderOn(createFake({}), <Composer draftOf={`session ${session}`} {...again} />);
    expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("later");
    cleanup();
    await renderOn(createFake({}), <Composer draftOf="another" {...again} />);
    expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("");
  });

  it("takes earlier messages back with the arrow keys, and leaves a draft alone", async () => {
    const { box } = await shown();
    await userEvent.type(box, "first{Enter}");
    await userEvent.type(box, "second{Enter}");
    await userEvent.keyboard("{ArrowUp}");
    expect(box.value).toBe("second");
    await userEvent.keyboard("{ArrowUp}");
    expect(box.value).toBe("first");
    await userEvent.keyboard("{ArrowDown}{ArrowDown}");
    expect(box.value).toBe("");
    await userEvent.keyboard("{ArrowDown}");
    expect(box.value).toBe("");
    await userEvent.type(box, "a draft{ArrowUp}");
    expect(box.value).toBe("a draft");
    await userEvent.clear(box);
    await userEvent.keyboard("{ArrowUp} and more{ArrowUp}");
    expect(box.value).toBe("second and more");
  });

  it("says why nothing can be sent", async () => {
    const { box } = await shown({ blocked: "Open a folder first" });
    expect(box.disabled).toBe(true);
    expect(described(box)).toBe("To a new session in arki Open a folder first");
  });
});
