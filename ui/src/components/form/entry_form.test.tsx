import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { createFake } from "../../testing/fake";
import { renderOn } from "../../testing/render";
import { Dialog } from "../Dialog";
import { EntryForm } from "./EntryForm";

function Settings({ onClose }: { onClose: () => void }) {
  const [isOpen, setOpen] = useState(true);
  return (
    <Dialog title="Settings" open onClose={onClose}>
      {isOpen && (
        <EntryForm label="Add hook" save="Save" onSave={() => {}} onCancel={() => setOpen(false)}>
          <input aria-label="Command" />
        </EntryForm>
      )}
    </Dialog>
  );
}

it("goes with Escape, or stays for a click beside the dialog, which closes nothing that is typed", async () => {
  const onClose = vi.fn();
  await renderOn(createFake({}), <Settings onClose={onClose} />);
  await userEvent.type(screen.getByRole("textbox", { name: "Command" }), "cargo fmt");
  const beside = document.querySelector(".backdrop") as HTMLElement;
  await userEvent.click(beside);
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Command" }).value).toBe("cargo fmt");
  expect(onClose).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("textbox", { name: "Command" }));
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("form", { name: "Add hook" })).toBeNull();
  expect(onClose).not.toHaveBeenCalled();
  // With nothing open in it, both close it as ever.
  await userEvent.click(beside);
  await userEvent.keyboard("{Escape}");
  expect(onClose).toHaveBeenCalledTimes(2);
});
