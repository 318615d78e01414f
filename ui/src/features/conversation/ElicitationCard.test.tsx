import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type {
  ElicitationFault,
  ElicitationField,
  ElicitationReply,
  ElicitationSummary,
} from "../../protocol/generated";
import { render } from "../../testing/render";
import { ElicitationCard } from "./ElicitationCard";

function field(name: string, kind: ElicitationField["kind"], more: Partial<ElicitationField> = {}) {
  return { name, label: name, description: "", required: false, default: null, kind, ...more };
}

const options = [
  { value: "s", title: "Small" },
  { value: "l", title: "Large" },
];

const asked: ElicitationSummary = {
  id: 7,
  server: "tickets",
  project: "/p",
  sessionId: "s",
  askedAt: 0,
  message: "Who is it for?",
  page: null,
  fields: [
    field("who", { type: "text", format: null, maxLength: null }, { required: true, description: "A name." }),
    field("count", { type: "number", isInteger: true, minimum: 1, maximum: 3 }, { default: 2 }),
    field("agree", { type: "boolean" }, { default: true }),
    field("size", { type: "choice", options }),
    field("tags", { type: "choices", options }),
  ],
};

let requests = 0;

/** Another request each time: what is filled in for one is kept. */
function draw(more: Partial<ElicitationSummary> = {}, wrong: ElicitationFault[] = []) {
  requests += 1;
  const card = { ...asked, id: requests, ...more };
  const onReply = vi.fn(async (_: ElicitationReply) => wrong);
  const view = render(<ElicitationCard asked={card} onReply={onReply} />);
  return { ...view, onReply, id: card.id };
}
const shown = (...given: Parameters<typeof draw>) => draw(...given).onReply;

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

describe("a server's form", () => {
  it("names the server, and has its fields with their words and defaults", () => {
    shown();
    expect(screen.getByRole("form", { name: "The MCP server tickets asks you" })).toBeTruthy();
    const who = screen.getByRole<HTMLInputElement>("textbox", { name: "who" });
    expect([who.required, who.value]).toEqual([true, ""]);
    expect(document.getElementById(who.getAttribute("aria-describedby") ?? "")?.textContent).toBe("A name.");
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "count" }).value).toBe("2");
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "agree" }).checked).toBe(true);
  });

  it("sends what was filled in by its kind, and leaves out what is empty", async () => {
    const onReply = shown();
    fireEvent.change(screen.getByRole("textbox", { name: "who" }), { target: { value: "Ada" } });
    fireEvent.change(screen.getByRole("combobox", { name: "size" }), { target: { value: "l" } });
    press("Send answer");
    const first = { who: "Ada", count: 2, agree: true, size: "l" };
    await waitFor(() => expect(onReply).toHaveBeenCalledWith({ action: "accept", values: first }));
    fireEvent.click(screen.getByRole("checkbox", { name: "Large" }));
    fireEvent.click(screen.getByRole("checkbox", { name: "Small" }));
    fireEvent.change(screen.getByRole("textbox", { name: "count" }), { target: { value: "many" } });
    press("Send answer");
    const values = { ...first, count: "many", tags: ["s", "l"] };
    await waitFor(() => expect(onReply).toHaveBeenLastCalledWith({ action: "accept", values }));
  });

  it("keeps what was filled in when it is drawn anew, and while something is wrong with it, until it was sent", async () => {
    const who = () => screen.getByRole<HTMLInputElement>("textbox", { name: "who" });
    const first = draw();
    fireEvent.change(who(), { target: { value: "Ada" } });
    fireEvent.click(screen.getByRole("checkbox", { name: "agree" }));
    first.unmount();
    const { id } = first;
    const refused = draw({ id }, [{ field: "count", message: "At most 3." }]);
    expect(who().value).toBe("Ada");
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "agree" }).checked).toBe(false);
    press("Send answer");
    expect((await screen.findByRole("alert")).textContent).toContain("At most 3.");
    refused.unmount();
    const taken = draw({ id });
    expect(who().value).toBe("Ada");
    press("Send answer");
    await waitFor(() => expect(taken.onReply).toHaveBeenCalledTimes(1));
    taken.unmount();
    draw({ id });
    expect(who().value).toBe("");
  });

  it("says at the field what is wrong with it, and leads there", async () => {
    shown({}, [{ field: "count", message: "At most 3." }]);
    press("Send answer");
    const count = screen.getByRole("textbox", { name: "count" });
    await waitFor(() => expect(document.activeElement).toBe(count));
    expect(screen.getByRole("alert").textContent).toContain("At most 3.");
    expect(count.getAttribute("aria-invalid")).toBe("true");
  });

  it("can be declined and cancelled, which are two answers without values", async () => {
    const onReply = shown();
    press("Decline");
    await waitFor(() => expect(onReply).toHaveBeenCalledWith({ action: "decline", values: {} }));
    press("Cancel");
    await waitFor(() => expect(onReply).toHaveBeenCalledWith({ action: "cancel", values: {} }));
  });
});

describe("a page to visit", () => {
  it("shows the whole address with its host, and is opened by its button alone", async () => {
    const page = { before: "https://", host: "login.example", after: "/a?b=c" };
    const onReply = shown({ fields: [], page });
    expect(screen.getByText("login.example").tagName).toBe("B");
    expect(document.body.textContent).toContain("https://login.example/a?b=c");
    expect(onReply).not.toHaveBeenCalled();
    press("Open page");
    await waitFor(() => expect(onReply).toHaveBeenCalledWith({ action: "accept", values: {} }));
  });
});
