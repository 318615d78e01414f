import { act, cleanup, createEvent, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef } from "react";
import { describe, expect, it, vi } from "vitest";
import type { AttachedFile } from "../../../protocol/generated";
import { createFake, fail, pictureFacts } from "../../../testing/fake";
import { renderOn } from "../../../testing/render";
import { Composer } from "../Composer";

// jsdom decodes no pictures and has no canvas. A picture's text is its size, and so is that of a smaller one.
vi.mock("./raster", async (original) => ({
  ...(await original<typeof import("./raster")>()),
  thumbnailOf: async (address: string) => {
    if (atob(address.slice(address.indexOf(",") + 1)).startsWith("13x")) throw new Error("damaged");
    return `${address}, small`;
  },
  scaledDown: async (_: string, mediaType: string, side: number) =>
    `data:${mediaType};base64,${btoa(`${side}x100`)}`,
}));

type Handlers = NonNullable<Parameters<typeof createFake>[0]["handlers"]>;
type Given = { draftOf?: string; run?: "running"; sessionId?: string; blocked?: string };
let drafts = 0;

async function shown(handlers: Handlers = {}, given: Given = {}) {
  drafts += 1;
  const draftOf = given.draftOf ?? `pictures ${drafts}`;
  const fake = createFake({ handlers });
  const onSend = vi.fn(async () => true);
  const onOpenFolder = vi.fn();
  await renderOn(
    fake,
    <Composer
      of={{ folder: "/home/ada/code/arki", sessionId: given.sessionId ?? null }}
      title={null}
      draftOf={draftOf}
      run={given.run ?? null}
      blocked={given.blocked ?? null}
      onSend={onSend}
      onStop={() => {}}
      onPause={() => {}}
      onOpenFolder={onOpenFolder}
      inputRef={createRef()}
    />,
  );
  const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  return { fake, onSend, onOpenFolder, box, draftOf };
}

const file = (text: string, name = "image.png") => new File([text], name, { type: "image/png" });
/** Answers whether the box was kept from pasting text. */
function paste(box: HTMLElement, files: File[], text = ""): boolean {
  const event = createEvent.paste(box, { clipboardData: { files, getData: () => text } });
  fireEvent(box, event);
  return event.defaultPrevented;
}
function picture(size: string, name: string): AttachedFile {
  return { type: "picture", name, data: btoa(size), facts: pictureFacts(btoa(size)) };
}
const chips = () => screen.findByRole("list", { name: "Attached pictures" });
const chipTexts = async () =>
  within(await chips())
    .getAllByRole("listitem")
    .map((one) => one.textContent);

describe("a picture that is pasted", () => {
  it("shows small with its name, its size and its tokens", async () => {
    const { box } = await shown();
    expect(paste(box, [file("300x100"), file("640x480", "shot.png")])).toBe(true);
    await waitFor(async () =>
      expect(await chipTexts()).toEqual(["image.png300 × 100 · 300 tok", "shot.png640 × 480 · 640 tok"]),
    );
    const small = (await chips()).querySelector("img");
    expect(small?.getAttribute("src")).toBe(`data:image/png;base64,${btoa("300x100")}, small`);
    expect(screen.getByTitle("image.png: 300 × 100 pixels, 300 tokens, estimated")).toBeTruthy();
  });

  it("is left to the box where there is text beside it", async () => {
    const { box } = await shown();
    expect(paste(box, [file("300x100")], "a cell of a table")).toBe(false);
    expect(paste(box, [], "words")).toBe(false);
    expect(screen.queryByRole("list")).toBeNull();
  });

  it("is asked for where the webview hands over neither text nor a file", async () => {
    const { fake, box } = await shown({ take_pasted: () => [picture("300x100", "Pasted picture")] });
    paste(box, [], "words");
    paste(box, [file("640x480")]);
    expect(fake.calls.map((call) => call.name)).not.toContain("take_pasted");
    paste(box, []);
    await waitFor(async () =>
      expect(await chipTexts()).toEqual([
        "image.png640 × 480 · 640 tok",
        "Pasted picture300 × 100 · 300 tok",
      ]),
    );
  });

  it("is scaled down where it is large, and says so", async () => {
    const { box } = await shown();
    paste(box, [file("4000x3000")]);
    expect(await chipTexts()).toEqual(["image.png1568 × 100 · 1.6k tok"]);
    expect(
      screen.getByTitle("image.png: scaled down from 4000 × 3000 pixels, 1,568 tokens, estimated"),
    ).toBeTruthy();
  });

  it("says why it isn't attached, and loses nothing that is", async () => {
    const { box, onSend } = await shown();
    await userEvent.type(box, "precious");
    const huge = file("9x9", "huge.png");
    Object.defineProperty(huge, "size", { value: (20 << 20) + 1 });
    paste(box, [file("no picture", "notes.txt"), file("300x100"), file("13x13", "broken.png"), huge]);
    await screen.findByText(/huge\.png: It is too large: up to 20 MiB/);
    expect(screen.getByText(/notes\.txt: The file is not a picture\./)).toBeTruthy();
    expect(screen.getByText(/broken\.png: The picture is damaged/)).toBeTruthy();
    expect(await chipTexts()).toEqual(["image.png300 × 100 · 300 tok"]);
    expect(box.value).toBe("precious");
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByText(/notes\.txt/)).toBeNull();
    await userEvent.type(box, "{Enter}");
    expect(onSend).toHaveBeenCalledOnce();
  });

  it("is one of at most twenty", async () => {
    const { box } = await shown();
    paste(
      box,
      Array.from({ length: 21 }, (_, place) => file("30x10", `${place + 1}.png`)),
    );
    await screen.findByText("21.png: It isn't attached: a message can have up to 20 pictures.");
    expect(await chipTexts()).toHaveLength(20);
  });

  it("is waited for: a message doesn't leave without it", async () => {
    let found = () => {};
    const { box, onSend } = await shown({
      look_at_picture: (({ data }: { data: string }) =>
        new Promise((resolve) => (found = () => resolve(pictureFacts(data))))) as never,
    });
    await userEvent.type(box, "What is it?");
    paste(box, [file("300x100")]);
    await screen.findByText("Reading 1 picture…");
    await userEvent.type(box, "{Enter}");
    expect(onSend).not.toHaveBeenCalled();
    await waitFor(() => found());
    await chips();
    await userEvent.type(box, "{Enter}");
    expect(onSend).toHaveBeenCalledOnce();
  });
});

describe("attached pictures", () => {
  it("are taken away with the mouse or a key, and the focus stays near", async () => {
    const { box } = await shown();
    paste(box, [file("30x10", "a.png"), file("30x10", "b.png"), file("30x10", "c.png")]);
    await waitFor(async () => expect(await chipTexts()).toHaveLength(3));
    await userEvent.click(screen.getByRole("button", { name: "Remove b.png" }));
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("button", { name: "Remove c.png" })),
    );
    await userEvent.keyboard("{Delete}");
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("button", { name: "Remove a.png" })),
    );
    await userEvent.keyboard("{Enter}");
    expect(screen.queryByRole("list", { name: "Attached pictures" })).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(box));
  });

  it("stay with their own draft, also those that come once one has left it", async () => {
    const first = await shown();
    paste(first.box, [file("30x10", "mine.png")]);
    cleanup();
    await shown();
    expect(screen.queryByRole("list", { name: "Attached pictures" })).toBeNull();
    cleanup();
    await shown({}, { draftOf: first.draftOf });
    expect(await chipTexts()).toEqual(["mine.png30 × 10 · 30 tok"]);
  });

  it("can't be queued: the message stays until the run is over", async () => {
    const { box, onSend } = await shown({}, { run: "running" });
    await userEvent.type(box, "Look");
    paste(box, [file("30x10")]);
    await chips();
    expect(screen.getByText(/Pictures can't be queued/)).toBeTruthy();
    await userEvent.type(box, "{Enter}");
    expect(onSend).not.toHaveBeenCalled();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Steer" }).disabled).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: "Remove image.png" }));
    await userEvent.type(box, "{Enter}");
    expect(onSend).toHaveBeenCalledOnce();
  });
});

describe("a file that is pasted", () => {
  const notes = () => new File(["mine"], "notes.txt", { type: "text/plain" });

  it("is mentioned where it lies in the folder: where it lies, the system says", async () => {
    const { box } = await shown({ take_pasted: () => [{ type: "mention", mention: "@notes.txt" }] });
    expect(paste(box, [notes()])).toBe(true);
    await waitFor(() => expect(box.value).toBe("@notes.txt "));
    expect(screen.queryByText(/Only pictures/)).toBeNull();
  });

  it("is refused with what to do instead where the system doesn't say; pictures beside it are attached", async () => {
    const { box } = await shown();
    paste(box, [notes(), file("300x100")]);
    await screen.findByText(/^notes\.txt: Only pictures can be pasted here\. Drop the file/);
    expect(await chipTexts()).toEqual(["image.png300 × 100 · 300 tok"]);
  });
});

describe("a folder that is dropped", () => {
  const other: AttachedFile = { type: "folder", name: "shop", path: "/code/shop", mention: null };
  const inside: AttachedFile = { ...other, name: "src", mention: "@src/" };
  const question = () => screen.queryByRole("group", { name: "Dropped folder" });
  const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

  it("is opened at once where no session is shown", async () => {
    const { fake, onOpenFolder } = await shown({ take_dropped: () => [other] });
    act(() => fake.drag("dropped"));
    await waitFor(() => expect(onOpenFolder).toHaveBeenCalledExactlyOnceWith("/code/shop"));
    expect(question()).toBeNull();
  });

  it("is opened over a session only when the user says so", async () => {
    const { fake, box, onOpenFolder } = await shown({ take_dropped: () => [other] }, { sessionId: "s" });
    act(() => fake.drag("dropped"));
    await waitFor(() => expect(question()?.textContent).toContain("can't be mentioned"));
    expect(screen.queryByRole("button", { name: "Mention in message" })).toBeNull();
    expect(onOpenFolder).not.toHaveBeenCalled();
    await press("Open folder");
    expect(onOpenFolder).toHaveBeenCalledExactlyOnceWith("/code/shop");
    expect(question()).toBeNull();
    expect(document.activeElement).toBe(box);
  });

  it("of the open folder is mentioned or opened, or neither", async () => {
    const { fake, box, onOpenFolder } = await shown({ take_dropped: () => [inside] });
    act(() => fake.drag("dropped"));
    await waitFor(() => expect(question()).toBeTruthy());
    await press("Mention in message");
    expect(box.value).toBe("@src/ ");
    act(() => fake.drag("dropped"));
    await waitFor(() => expect(question()).toBeTruthy());
    await press("Dismiss");
    expect([question(), onOpenFolder.mock.calls.length]).toEqual([null, 0]);
  });

  it("is opened where nothing can be sent", async () => {
    const handlers: Handlers = { take_dropped_folder: () => "/code/shop", take_dropped: () => [inside] };
    const { fake, onOpenFolder } = await shown(handlers, { sessionId: "s", blocked: "It is gone." });
    act(() => fake.drag("over"));
    expect(screen.getByText("Drop a folder to open it")).toBeTruthy();
    act(() => fake.drag("dropped"));
    await waitFor(() => expect(onOpenFolder).toHaveBeenCalledExactlyOnceWith("/code/shop"));
  });
});

describe("files from elsewhere", () => {
  const dropped: AttachedFile[] = [
    picture("300x100", "shot.png"),
    { type: "mention", mention: "@src/app.rs" },
    { type: "refused", name: "a.pdf", reason: "a.pdf is outside the folder arki." },
    { type: "mention", mention: "@docs/" },
  ];

  it("are dropped: pictures are attached, files of the project mentioned, others refused", async () => {
    const { fake, box } = await shown({ take_dropped: () => dropped });
    await userEvent.type(box, "Compare");
    act(() => fake.drag("over"));
    expect(
      screen.getByText("Drop pictures to attach them, files to mention them, a folder to open it"),
    ).toBeTruthy();
    act(() => fake.drag("dropped"));
    expect(await chipTexts()).toEqual(["shot.png300 × 100 · 300 tok"]);
    await waitFor(() => expect(box.value).toBe("Compare @src/app.rs @docs/ "));
    expect(screen.getByText("a.pdf is outside the folder arki.")).toBeTruthy();
    expect(screen.queryByText(/Drop pictures/)).toBeNull();
  });

  it("are not asked for where they only pass by", async () => {
    const { fake } = await shown({ take_dropped: () => fail("INTERNAL", "asked") });
    act(() => fake.drag("over"));
    act(() => fake.drag("left"));
    expect(screen.queryByText(/Drop pictures/)).toBeNull();
    expect(fake.calls.map((call) => call.name)).not.toContain("take_dropped");
  });

  it("are chosen in the system's dialog, with the button or its key", async () => {
    const { box } = await shown({ choose_files: () => [picture("300x100", "chosen.png")] });
    await userEvent.click(screen.getByRole("button", { name: "Attach files…" }));
    await waitFor(async () => expect(await chipTexts()).toHaveLength(1));
    await userEvent.type(box, "{Control>}{Shift>}a{/Shift}{/Control}");
    await waitFor(async () => expect(await chipTexts()).toHaveLength(2));
  });

  it("say where the dialog can't be opened", async () => {
    await shown({ choose_files: () => fail("INTERNAL", "There is no dialog.", "Drop the file.") });
    await userEvent.click(screen.getByRole("button", { name: "Attach files…" }));
    expect(await screen.findByText("There is no dialog. Drop the file.")).toBeTruthy();
  });
});
