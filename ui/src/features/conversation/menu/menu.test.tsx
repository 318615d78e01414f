import { createEvent, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef } from "react";
import { describe, expect, it, vi } from "vitest";
import { createFake, fail } from "../../../testing/fake";
import { renderOn } from "../../../testing/render";
import { Composer } from "../Composer";
import { fitting, rank } from "./matching";
import { triggerAt } from "./trigger";
import { typedCommand } from "./typed";

let drafts = 0;

type Handlers = NonNullable<Parameters<typeof createFake>[0]["handlers"]>;

async function shown(handlers: Handlers = {}, sessionId: string | null = "s") {
  drafts += 1;
  const onSend = vi.fn(async (_text: string) => true);
  await renderOn(
    createFake({ handlers }),
    <Composer
      of={{ folder: "/home/ada/code/arki", sessionId }}
      title={null}
      draftOf={`menu ${drafts}`}
      run={null}
      blocked={null}
      onSend={onSend}
      onStop={() => {}}
      onPause={() => {}}
      onOpenFolder={() => {}}
      inputRef={createRef()}
    />,
  );
  const box = () => document.querySelector("textarea") as HTMLTextAreaElement;
  return { onSend, box };
}
const options = () => screen.queryAllByRole("option").map((one) => one.textContent);
const chosen = () => screen.getByRole("option", { selected: true }).textContent;

describe("the menu of commands", () => {
  it("opens with a slash, narrows with each letter, and tells assistive technology what is highlighted", async () => {
    const { box } = await shown();
    expect(box().getAttribute("role")).toBeNull();
    await userEvent.type(box(), "/");
    const list = await screen.findByRole("listbox", { name: "Commands" });
    expect(options()[0]).toBe("/compact [what to keep] Shorten what the model sees of this conversation");
    await userEvent.keyboard("{ArrowDown}{ArrowDown}{ArrowUp}");
    expect(chosen()).toContain("/context");
    const combobox = screen.getByRole("combobox", { name: "Message" });
    expect(combobox.getAttribute("aria-controls")).toBe(list.id);
    expect(combobox.getAttribute("aria-expanded")).toBe("true");
    const active = combobox.getAttribute("aria-activedescendant") ?? "";
    expect(document.getElementById(active)?.textContent).toContain("/context");
    await userEvent.keyboard("comm");
    expect(options()).toEqual([
      "/git:commit Write a commit message from what is staged · .claude/commands/git/commit.md",
    ]);
    await userEvent.keyboard("x");
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(screen.getByRole("textbox", { name: "Message" })).toBe(box());
  });

  it("completes with Tab, sends with Enter what is whole, and asks for the words that are needed", async () => {
    const { box, onSend } = await shown();
    await userEvent.type(box(), "/comp");
    await screen.findByRole("listbox");
    await userEvent.keyboard("{Tab}the parser{Enter}");
    await waitFor(() => expect(onSend).toHaveBeenLastCalledWith("/compact the parser", null));
    await userEvent.type(box(), "/too{Enter}");
    await waitFor(() => expect(onSend).toHaveBeenLastCalledWith("/tools", null));
    await waitFor(() => expect(box().value).toBe(""));
    await userEvent.type(box(), "/ren");
    await screen.findByRole("listbox");
    await userEvent.keyboard("{Enter}");
    expect(box().value).toBe("/rename ");
    expect(onSend).toHaveBeenCalledTimes(2);
    expect(screen.queryByRole("listbox")).toBeNull();
  });

  it("closes with Escape until the command is left, and the keys are the box's again", async () => {
    const { box, onSend } = await shown();
    await userEvent.type(box(), "/comp");
    await screen.findByRole("listbox");
    const pressed = createEvent.keyDown(box(), { key: "Escape" });
    fireEvent(box(), pressed);
    expect(pressed.defaultPrevented).toBe(true);
    expect(screen.queryByRole("listbox")).toBeNull();
    await userEvent.keyboard("act");
    expect(screen.queryByRole("listbox")).toBeNull();
    await userEvent.keyboard("{Enter}");
    await waitFor(() => expect(onSend).toHaveBeenCalledExactlyOnceWith("/compact", null));
    await waitFor(() => expect(box().value).toBe(""));
    await userEvent.type(box(), "/");
    expect(await screen.findByRole("listbox")).toBeTruthy();
  });

  it("leaves an input method its keys", async () => {
    const { box, onSend } = await shown();
    await userEvent.type(box(), "/comp");
    await screen.findByRole("listbox");
    for (const how of [{ isComposing: true }, { keyCode: 229 }]) {
      const enter = createEvent.keyDown(box(), { key: "Enter", ...how });
      fireEvent(box(), enter);
      expect(enter.defaultPrevented).toBe(false);
    }
    expect(box().value).toBe("/comp");
    expect(onSend).not.toHaveBeenCalled();
  });

  it("takes a click without taking the focus", async () => {
    const { box, onSend } = await shown();
    await userEvent.type(box(), "/");
    const list = await screen.findByRole("listbox");
    await userEvent.click(within(list).getByText(/^\/context/));
    await waitFor(() => expect(onSend).toHaveBeenCalledExactlyOnceWith("/context", null));
    await waitFor(() => expect(document.activeElement).toBe(box()));
  });

  it("lists nothing about a session before there is one", async () => {
    const { box } = await shown({}, null);
    await userEvent.type(box(), "/");
    await screen.findByRole("listbox");
    expect(options().map((one) => one?.split(" ")[0])).toEqual([
      "/context",
      "/git:commit",
      "/init",
      "/new",
      "/review",
    ]);
  });

  it("is no reason to stop writing where commands can't be listed", async () => {
    const { box, onSend } = await shown({ list_commands: () => fail("INTERNAL", "It broke.") });
    await userEvent.type(box(), "/comp{Enter}");
    await waitFor(() => expect(onSend).toHaveBeenCalledExactlyOnceWith("/comp", null));
  });
});

describe("the menu of mentions", () => {
  it("opens anywhere with an at sign, names files by their last part, and puts the mention in", async () => {
    const { box, onSend } = await shown();
    await userEvent.type(box(), "Look at @app");
    await screen.findByRole("listbox", { name: "Mentions" });
    await waitFor(() => expect(options()).toEqual(["app.rs crates/view/src"]));
    await userEvent.keyboard("{Enter}");
    expect(box().value).toBe("Look at @crates/view/src/app.rs ");
    expect(onSend).not.toHaveBeenCalled();
    expect(screen.queryByRole("listbox")).toBeNull();
    await userEvent.type(box(), "and @a na");
    expect(screen.queryByRole("listbox")).toBeNull();
    await userEvent.clear(box());
    await userEvent.type(box(), '@"a na');
    await screen.findByRole("listbox", { name: "Mentions" });
    await waitFor(() => expect(options()).toEqual(["a name.md docs"]));
    await userEvent.keyboard("{Enter}");
    expect(box().value).toBe('@"docs/a name.md" ');
  });

  it("leaves Enter to the box where a mention is written out", async () => {
    const { box, onSend } = await shown();
    await userEvent.type(box(), "@crates/view/src/app.rs");
    await screen.findByRole("listbox", { name: "Mentions" });
    await userEvent.keyboard("{Enter}");
    await waitFor(() => expect(onSend).toHaveBeenCalledExactlyOnceWith("@crates/view/src/app.rs", null));
  });

  it("goes on into a folder with Tab, and ends it with Enter", async () => {
    const { box } = await shown();
    await userEvent.type(box(), "@view");
    await waitFor(() => expect(options()[0]).toBe("view/ crates"));
    await userEvent.keyboard("{Tab}");
    expect(box().value).toBe("@crates/view/");
    await waitFor(() => expect(options()).toEqual(["view/ crates", "app.rs crates/view/src"]));
    await userEvent.keyboard("{ArrowDown}{Enter}");
    expect(box().value).toBe("@crates/view/src/app.rs ");
  });

  it("stays closed in addresses and code, and leads to sessions by their titles", async () => {
    expect(triggerAt("ada@example.org", 15)).toBeNull();
    expect(triggerAt("(@src", 5)).toEqual({ kind: "mention", from: 1, words: "src" });
    const { box } = await shown();
    await userEvent.type(box(), "@rename");
    await waitFor(() => expect(options()).toEqual(["Rename the widget API "]));
    await userEvent.keyboard("{Tab}");
    expect(box().value).toBe("@session:s-review ");
  });

  it("has what has changed since the last commit", async () => {
    const { box } = await shown();
    await userEvent.type(box(), "review @dif");
    await waitFor(() => expect(options()).toEqual(["diff what has changed since the last commit"]));
    await userEvent.keyboard("{Enter}");
    expect(box().value).toBe("review @diff ");
  });
});

describe("what is mentioned", () => {
  it("shows with the tokens that it takes, and says why one is not attached", async () => {
    const { box } = await shown();
    await userEvent.type(box(), "Compare @a.rs ");
    const chips = await screen.findByRole("list", { name: "Mentioned" });
    expect(chips.textContent).toBe("@a.rs500 tok");
    await userEvent.type(box(), "with @b.png ");
    await waitFor(() =>
      expect(within(screen.getByRole("list", { name: "Mentioned" })).getAllByRole("listitem")).toHaveLength(
        2,
      ),
    );
    expect(screen.getByText("It is a picture, which this model can't see.")).toBeTruthy();
    await userEvent.clear(box());
    await userEvent.type(box(), "See @https://example.org/ ");
    const page = await screen.findByTitle("Fetched when you send the message");
    expect(page.textContent).toBe("@https://example.org/");
    await userEvent.clear(box());
    expect(screen.queryByRole("list", { name: "Mentioned" })).toBeNull();
  });
});

describe("what is typed", () => {
  it("is a command only at the beginning, and only up to its arguments", () => {
    expect(triggerAt("/", 1)).toEqual({ kind: "command", from: 0, words: "" });
    expect(triggerAt("  /git:co", 9)).toEqual({ kind: "command", from: 2, words: "git:co" });
    expect(triggerAt("/compact", 4)).toEqual({ kind: "command", from: 0, words: "com" });
    expect(triggerAt("/compact the", 12)).toBeNull();
    expect(triggerAt("see /usr/bin", 12)).toBeNull();
    expect(triggerAt("/usr/bin", 8)).toBeNull();
  });

  it("is read as the engine reads it", () => {
    expect(typedCommand("/compact the parser\nand its tests ")).toEqual({
      name: "compact",
      words: "the parser\nand its tests",
    });
    expect(typedCommand(" /context")).toEqual({ name: "context", words: "" });
    expect(typedCommand("/usr/bin is full")).toBeNull();
    expect(typedCommand("Look at /compact")).toBeNull();
    expect(typedCommand("/-x")).toBeNull();
  });

  it("fits by beginnings first, then by parts of a name, then by letters in order", () => {
    expect([
      rank("compact", "com"),
      rank("git:commit", "com"),
      rank("recommend", "com"),
      rank("context", "ctx"),
    ]).toEqual([0, 1, 2, 3]);
    expect(rank("new", "x")).toBeNull();
    expect(fitting(["context", "git:commit", "compact"], "com", (name) => name)).toEqual([
      "compact",
      "git:commit",
    ]);
  });
});
