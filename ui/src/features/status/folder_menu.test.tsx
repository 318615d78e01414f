import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { createFake, demoProject } from "../../testing/fake";
import { renderOn } from "../../testing/render";
import { FolderMenu } from "./FolderMenu";

const none = () => undefined;
const show = (fake: ReturnType<typeof createFake>) =>
  renderOn(fake, <FolderMenu folder={demoProject.path} onEditor={none} onReveal={none} onTerminal={none} />);

it("shows characters that hide something in a branch's name", async () => {
  const repository = () => ({ branch: "main\u202e", isDetached: false, changedFiles: 2 });
  await show(createFake({ handlers: { repository } }));
  const menu = await screen.findByRole("button", {
    name: "Folder menu: branch main[U+202E], 2 changed files",
  });
  expect(menu.textContent).toContain("mainU+202E");
});
