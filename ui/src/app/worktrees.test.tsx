/** A session in a worktree: begun, brought back, and removed only with what is lost said. */
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake, demoProject } from "../testing/fake";
import { renderOn, sent } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

const project = demoProject.path;
const folder = `${project}.worktrees/feature-x`;
const worktree = { project, branch: "feature/x" };
const session = sessionOf({ project: folder, worktree });

type Given = NonNullable<Parameters<typeof createFake>[0]["handlers"]>;

async function shown(handlers: Given) {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const { events, add } = eventLog("s");
  add("session.created");
  const fake = createFake({ sessions: [session], logs: { s: events }, handlers });
  await renderOn(fake, <App />);
  return fake;
}

async function choose(item: RegExp) {
  await userEvent.click(screen.getByRole("button", { name: "Session menu" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: item }));
}

it("a branch's folder is shown before it is made, and the session begins there", async () => {
  const fake = await shown({
    plan_worktree: ({ branch }) => {
      if (branch.startsWith("-"))
        throw { code: "BRANCH_NAME_INVALID", message: "That is no branch.", hint: "" };
      return { ...worktree, branch, folder };
    },
    add_worktree: () => ({ ...worktree, folder, createdAt: 0, isWhole: true, hasNewCommits: false }),
  });
  await choose(/^New session in a worktree/);
  const dialog = await screen.findByRole("dialog", { name: "New session in a worktree" });
  const start = within(dialog).getByRole<HTMLButtonElement>("button", { name: "Start session" });
  const field = within(dialog).getByRole("textbox", { name: "New branch" });
  expect(start.disabled).toBe(true);
  await userEvent.type(field, "-x");
  expect(await within(dialog).findByText("That is no branch.")).toBeTruthy();
  expect(start.disabled).toBe(true);
  await userEvent.clear(field);
  await userEvent.type(field, "feature/x");
  expect(await within(dialog).findByText(/arki\.worktrees\/feature-x/)).toBeTruthy();
  await userEvent.click(start);
  await waitFor(() => expect(sent(fake, "add_worktree")).toEqual([{ folder: project, branch: "feature/x" }]));
  await waitFor(() => expect(sent(fake, "open_project").at(-1)).toEqual({ path: folder }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("why a worktree couldn't be made is said until another name is typed", async () => {
  await shown({
    plan_worktree: ({ branch }) => ({ ...worktree, branch, folder }),
    add_worktree: () => {
      throw { code: "BRANCH_CHECKED_OUT", message: "The branch is checked out.", hint: "" };
    },
  });
  await choose(/^New session in a worktree/);
  const dialog = within(await screen.findByRole("dialog", { name: "New session in a worktree" }));
  const field = dialog.getByRole("textbox", { name: "New branch" });
  await userEvent.type(field, "master");
  await waitFor(() =>
    expect(dialog.getByRole("button", { name: "Start session" })).toHaveProperty("disabled", false),
  );
  await userEvent.type(field, "{Enter}");
  expect((await dialog.findByRole("alert")).textContent).toContain("The branch is checked out.");
  await userEvent.type(field, "2");
  expect(dialog.queryByRole("alert")).toBeNull();
});

it("its branch is brought to the project from the session's menu, and what stands against it is said", async () => {
  let commits = 2;
  const fake = await shown({
    bring_worktree: () => {
      if (commits === 0)
        throw { code: "WORKTREE_UNCHANGED", message: "No new commit.", hint: "Commit first." };
      return { ...worktree, commits };
    },
  });
  const row = screen.getByRole("button", { name: "One" });
  expect(row.querySelector("[title='In the worktree feature/x']")).not.toBeNull();
  await userEvent.click(row);
  await choose(/^Bring branch to arki/);
  expect(await screen.findByText("Brought 2 commits on feature/x to arki.")).toBeTruthy();
  expect(sent(fake, "bring_worktree")).toEqual([{ folder: project, branch: "feature/x" }]);
  commits = 0;
  await choose(/^Bring branch to arki/);
  expect(await screen.findByText(/No new commit\./)).toBeTruthy();
});

it("work that would be lost is named, and removed only by a second decision", async () => {
  const fake = await shown({
    remove_worktree: ({ force }) => {
      if (!force)
        throw { code: "WORKTREE_UNSAVED", message: "It has 2 files that are not committed.", hint: "" };
      return null;
    },
  });
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  await choose(/^Remove worktree/);
  await userEvent.click(await screen.findByRole("button", { name: "Remove worktree" }));
  expect((await screen.findByRole("alert")).textContent).toContain("2 files that are not committed");
  // Whoever presses twice loses nothing.
  await userEvent.click(screen.getByRole("button", { name: "Remove worktree" }));
  expect(sent(fake, "remove_worktree")).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "Remove and lose this work" }));
  expect(await screen.findByText("Removed the worktree feature/x.")).toBeTruthy();
  expect(sent(fake, "remove_worktree").map(({ force }) => force)).toEqual([false, true]);
});
