import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { Question } from "../../protocol/items";
import { render } from "../../testing/render";
import { QuestionCard } from "./QuestionCard";

const asked: Question = {
  questionId: "q1",
  text: "Which colour?",
  options: ["Red", "A blue that is rather dark"],
  answer: null,
};

let questions = 0;

/** Another question each time: what is written for one is kept. */
function shown(question: Partial<Question> = {}, onAnswer = vi.fn(async () => undefined as undefined)) {
  questions += 1;
  const card = { ...asked, questionId: `q${questions}`, ...question };
  const view = render(
    <QuestionCard question={card} state="waiting" onAnswer={onAnswer} onLink={() => undefined} />,
  );
  return { ...view, onAnswer, questionId: card.questionId };
}

const box = () => screen.getByRole("textbox", { name: "Your answer" });

describe("a question that waits", () => {
  it("is answered by one of its options", async () => {
    const { onAnswer, questionId } = shown();
    fireEvent.click(screen.getByRole("button", { name: "A blue that is rather dark" }));
    await waitFor(() => expect(onAnswer).toHaveBeenCalledWith(questionId, "A blue that is rather dark"));
  });

  it("is answered in the user's own words with Enter, and Shift+Enter is a new line", async () => {
    const { onAnswer, questionId } = shown();
    fireEvent.change(box(), { target: { value: "green" } });
    fireEvent.keyDown(box(), { key: "Enter", shiftKey: true });
    expect(onAnswer).not.toHaveBeenCalled();
    fireEvent.keyDown(box(), { key: "Enter" });
    await waitFor(() => expect(onAnswer).toHaveBeenCalledWith(questionId, "green"));
  });

  it("keeps what was written when it is drawn anew, until it was sent", async () => {
    const written = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Your answer" }).value;
    const { unmount, onAnswer, questionId } = shown();
    fireEvent.change(box(), { target: { value: "half an ans" } });
    unmount();
    const other = shown();
    expect(written()).toBe("");
    other.unmount();
    const again = shown({ questionId }, onAnswer);
    expect(written()).toBe("half an ans");
    fireEvent.keyDown(box(), { key: "Enter" });
    await waitFor(() => expect(onAnswer).toHaveBeenCalledWith(questionId, "half an ans"));
    again.unmount();
    shown({ questionId });
    expect(written()).toBe("");
  });

  it("takes no empty answer, and one answer only", async () => {
    const { onAnswer } = shown(
      {},
      vi.fn(() => new Promise<undefined>(() => undefined)),
    );
    const button = screen.getByRole<HTMLButtonElement>("button", { name: "Answer" });
    expect(button.disabled).toBe(true);
    fireEvent.keyDown(box(), { key: "Enter" });
    expect(onAnswer).not.toHaveBeenCalled();
    fireEvent.click(screen.getByRole("button", { name: "Red" }));
    fireEvent.click(screen.getByRole("button", { name: "Red" }));
    expect(onAnswer).toHaveBeenCalledTimes(1);
  });

  it("goes from option to option with the arrow keys", () => {
    shown();
    const red = screen.getByRole("button", { name: "Red" });
    red.focus();
    fireEvent.keyDown(red, { key: "ArrowDown" });
    expect(document.activeElement?.textContent).toContain("A blue that is rather dark");
    fireEvent.keyDown(document.activeElement ?? red, { key: "ArrowUp" });
    expect(document.activeElement).toBe(red);
  });

  it("is answered by the number of an option, but not while one writes", async () => {
    const { onAnswer, questionId } = shown();
    fireEvent.keyDown(box(), { key: "2" });
    fireEvent.keyDown(document.body, { key: "2", ctrlKey: true });
    fireEvent.keyDown(document.body, { key: "3" });
    expect(onAnswer).not.toHaveBeenCalled();
    fireEvent.keyDown(document.body, { key: "2" });
    await waitFor(() => expect(onAnswer).toHaveBeenCalledWith(questionId, "A blue that is rather dark"));
    expect(screen.getByRole("button", { name: "Red" }).title).toBe("Send this answer (1)");
  });

  it("says what went wrong, and can be answered again", async () => {
    const busy = { code: "SESSION_BUSY", message: "Another Arki works on it.", hint: "" };
    const onAnswer = vi
      .fn<() => Promise<undefined>>()
      .mockRejectedValueOnce(busy)
      .mockResolvedValue(undefined);
    shown({}, onAnswer);
    fireEvent.click(screen.getByRole("button", { name: "Red" }));
    expect((await screen.findByRole("alert")).textContent).toContain("Another Arki works on it.");
    fireEvent.click(screen.getByRole("button", { name: "Red" }));
    expect(onAnswer).toHaveBeenCalledTimes(2);
  });
});

describe("a question that no longer waits", () => {
  it("shows what was answered, and offers nothing", () => {
    const question = { ...asked, answer: "Red" };
    const { container } = render(
      <QuestionCard question={question} state="done" onAnswer={vi.fn()} onLink={() => undefined} />,
    );
    expect(container.textContent).toContain("You: Red");
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("says that nobody answered, where the run was stopped", () => {
    const { container } = render(
      <QuestionCard question={asked} state="interrupted" onAnswer={vi.fn()} onLink={() => undefined} />,
    );
    expect(container.textContent).toContain("Not answered");
    expect(screen.queryByRole("textbox")).toBeNull();
  });
});
