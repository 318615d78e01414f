import { act, fireEvent, render, screen } from "@testing-library/react";
import { useRef } from "react";
import { expect, it } from "vitest";
import type { UserItem } from "../../protocol/transcript";
import { useOwnMessages } from "./OwnMessage";
import { stepMessage } from "./own_messages";
import type { Row } from "./rows";
import { useSteady } from "./steady";

const words = ["Rename Widget", "Now the tests"];
const rows = words.map((text, at) => {
  const item = {
    kind: "user",
    key: `${at}`,
    seq: at,
    ts: 0,
    text,
    pictures: [],
    isTask: false,
  } as unknown as UserItem;
  return { key: `${at}`, item } as Row;
});

function Shown({ onEnd }: { onEnd: (by: 1 | -1) => void }) {
  const scroller = useRef<HTMLDivElement>(null);
  const steady = useSteady({ scroller, following: false, setFollowing: () => {} });
  const own = useOwnMessages({ scroller, rows, steady, onEnd, onLeave: () => {} });
  return (
    <div role="log" ref={scroller} onScroll={own.look}>
      {own.top}
      <div className="transcript-inner">
        {words.map((text, at) => (
          <div key={text} className="row row-user" data-testid={`${at}`} tabIndex={-1}>
            {text}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Two messages, 1,000 pixels between them, seen through 500. */
function shown() {
  const ends: number[] = [];
  render(<Shown onEnd={(by) => ends.push(by)} />);
  const log = screen.getByRole("log");
  Object.defineProperty(log, "clientHeight", { get: () => 500 });
  for (const at of [0, 1])
    screen.getByTestId(`${at}`).getBoundingClientRect = () =>
      ({ top: at * 1_000 - log.scrollTop, bottom: at * 1_000 + 60 - log.scrollTop, height: 60 }) as DOMRect;
  const scroll = (to: number) => {
    log.scrollTop = to;
    fireEvent.scroll(log);
  };
  const stuck = () => log.querySelector(".own-message")?.textContent ?? null;
  return { log, scroll, stuck, ends };
}

it("keeps the message whose answer is read at the top, for who sees it", () => {
  const { log, scroll, stuck } = shown();
  expect(stuck()).toBeNull();
  scroll(300);
  expect(stuck()).toBe("Rename Widget");
  expect(log.querySelector(".own-message")?.getAttribute("aria-hidden")).toBe("true");
  scroll(990);
  expect(stuck()).toBeNull();
});

it("leads to a message by key or by a click on it, with the focus", () => {
  const { log, scroll, stuck, ends } = shown();
  act(() => stepMessage(1));
  expect(log.scrollTop).toBe(1_000);
  expect(document.activeElement?.textContent).toBe("Now the tests");
  act(() => stepMessage(1));
  expect(ends).toEqual([1]);
  act(() => stepMessage(-1));
  expect(log.scrollTop).toBe(0);
  scroll(300);
  fireEvent.click(log.querySelector(".own-message") as Element);
  expect(log.scrollTop).toBe(0);
  expect(stuck()).not.toBe("Now the tests");
});
