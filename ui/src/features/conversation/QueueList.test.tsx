import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import type { QueuedMessage } from "../../protocol/generated";
import { render } from "../../testing/render";
import { QueueList } from "./QueueList";

const message = (text: string, mode: QueuedMessage["mode"] = "follow_up"): QueuedMessage => ({
  messageId: text,
  text,
  mode,
});

type HeldProps = {
  given: readonly QueuedMessage[];
  onQueue: (queue: readonly QueuedMessage[]) => void;
  onSendNext: (() => void) | null;
  onPutBack: (text: string) => void;
};

function Held({ given, onQueue, ...rest }: HeldProps) {
  const [queue, setQueue] = useState(given);
  onQueue(queue);
  return <QueueList queue={queue} onChange={(change) => setQueue(change)} {...rest} />;
}

function shown(given: QueuedMessage[], idle = false) {
  const onSendNext = vi.fn();
  const onPutBack = vi.fn();
  let now: readonly QueuedMessage[] = given;
  const { container } = render(
    <Held
      given={given}
      onQueue={(queue) => {
        now = queue;
      }}
      onSendNext={idle ? onSendNext : null}
      onPutBack={onPutBack}
    />,
  );
  const rows = () => [...container.querySelectorAll<HTMLElement>("li")];
  return { onSendNext, onPutBack, rows, texts: () => now.map((one) => one.text), queue: () => now };
}

describe("queued messages", () => {
  it("are told one by one, each with its place and when it is heard", () => {
    const { rows } = shown([message("a", "steer"), message("b")]);
    expect(screen.getByRole("region", { name: "Queued messages" })).toBeTruthy();
    expect(rows().map((row) => row.getAttribute("aria-label"))).toEqual([
      "steers a, 1 of 2",
      "next run b, 2 of 2",
    ]);
  });

  it("move by buttons and by Alt with the arrows, with the focus staying on them", async () => {
    const { rows, texts } = shown([message("a"), message("b"), message("c")]);
    await userEvent.click(within(rows()[0] as HTMLElement).getByRole("button", { name: "Move down" }));
    expect(texts()).toEqual(["b", "a", "c"]);
    rows()[2]?.focus();
    await userEvent.keyboard("{Alt>}{ArrowUp}{ArrowUp}{ArrowUp}{/Alt}");
    expect(texts()).toEqual(["c", "b", "a"]);
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toContain("c"));
  });

  it("are edited where they stand; Escape leaves them as they were", async () => {
    const { rows, texts } = shown([message("a")]);
    rows()[0]?.focus();
    await userEvent.keyboard("{Enter}");
    await userEvent.type(screen.getByRole("textbox", { name: "Queued message" }), "b{Enter}");
    expect(texts()).toEqual(["ab"]);
    await userEvent.click(screen.getByRole("button", { name: "Edit queued message" }));
    await userEvent.type(screen.getByRole("textbox", { name: "Queued message" }), "c{Escape}");
    expect(texts()).toEqual(["ab"]);
    expect(screen.queryByRole("textbox")).toBeNull();
  });

  it("switch between steering and the next run", async () => {
    const { queue } = shown([message("a")]);
    await userEvent.click(screen.getByRole("button", { name: "next run: steer instead" }));
    expect(queue()[0]?.mode).toBe("steer");
    await userEvent.click(screen.getByRole("button", { name: "steers: send after this run instead" }));
    expect(queue()[0]?.mode).toBe("follow_up");
  });

  it("are removed, and the words can be had back", async () => {
    const { rows, texts, onPutBack } = shown([message("a"), message("precious")]);
    rows()[1]?.focus();
    await userEvent.keyboard("{Delete}");
    expect(texts()).toEqual(["a"]);
    await userEvent.click(screen.getByRole("button", { name: "Restore" }));
    expect(onPutBack).toHaveBeenCalledExactlyOnceWith("precious");
  });

  it("offer to be sent where no run is under way, and only there", async () => {
    const { onSendNext } = shown([message("a")], true);
    await userEvent.click(screen.getByRole("button", { name: "Send next" }));
    expect(onSendNext).toHaveBeenCalledOnce();
  });

  it("are drawn in part when there are very many", async () => {
    const { rows } = shown(Array.from({ length: 1000 }, (_, at) => message(`m${at}`)));
    expect(rows()).toHaveLength(30);
    await userEvent.click(screen.getByText("Show more of 1,000 messages"));
    expect(rows()).toHaveLength(130);
  });
});
