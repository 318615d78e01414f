import { act, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { eventLog } from "../../testing/events";
import { createFake, demoProject } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { FolderMenu } from "./FolderMenu";

const none = () => undefined;
const show = (fake: ReturnType<typeof createFake>) =>
  renderOn(
    fake,
    <FolderMenu
      folder={demoProject.path}
      onCommit={none}
      onEditor={none}
      onReveal={none}
      onTerminal={none}
    />,
  );

it("shows characters that hide something in a branch's name", async () => {
  const repository = () => ({ branch: "main\u202e", isDetached: false, changedFiles: 2 });
  await show(createFake({ handlers: { repository } }));
  const menu = await screen.findByRole("button", {
    name: "Folder menu: branch main[U+202E], 2 changed files",
  });
  expect(menu.textContent).toContain("mainU+202E");
});

it("counts the changed files anew after a rewind of files, after a change is taken back and after a commit", async () => {
  let changedFiles = 3;
  const repository = () => ({ branch: "main", isDetached: false, changedFiles });
  const fake = createFake({ handlers: { repository } });
  await show(fake);
  await screen.findByRole("button", { name: /3 changed files/ });
  const { add } = eventLog("s");
  const back = [
    [add("session.rewound", { toSeq: 1, files: true, conversation: false }), "2 changed files"],
    [add("change.taken_back", { callId: "c", seq: 1 }), "1 changed file"],
    [add("changes.committed"), "0 changed files"],
  ] as const;
  for (const [event, counted] of back) {
    changedFiles -= 1;
    act(() => fake.send({ events: [event] }));
    await screen.findByRole("button", { name: `Folder menu: branch main, ${counted}` });
  }
  expect(sent(fake, "repository")).toHaveLength(4);
});
