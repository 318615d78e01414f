import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { SearchMenu } from "./SearchMenu";

const choices = Array.from({ length: 600 }, (_, number) => ({
  value: `router/model-${number}`,
  label: `router/model-${number}`,
}));

async function opened() {
  const onChoose = vi.fn();
  const onOpen = vi.fn();
  render(
    <SearchMenu
      label="Model: router/model-7"
      trigger="model"
      search="Search models"
      value="router/model-7"
      choices={choices}
      onChoose={onChoose}
      onOpen={onOpen}
    />,
  );
  await userEvent.click(screen.getByRole("combobox", { name: "Model: router/model-7" }));
  return { onChoose, onOpen, field: await screen.findByRole("combobox", { name: "Search models" }) };
}

describe("SearchMenu", () => {
  it("narrows many entries by typing, and chooses with Enter", async () => {
    const { onChoose, onOpen, field } = await opened();
    expect(onOpen).toHaveBeenCalledOnce();
    expect(screen.getByText("600 in all. Type to find one.")).toBeTruthy();
    await userEvent.type(field, "MODEL-599");
    expect(screen.getAllByRole("option")).toHaveLength(1);
    await userEvent.keyboard("{Enter}");
    expect(onChoose).toHaveBeenCalledExactlyOnceWith("router/model-599");
  });

  it("draws no more of 600 entries than can be seen, and more where one scrolls to", async () => {
    await opened();
    const drawn = () => document.querySelectorAll("[role=option]").length;
    expect(drawn()).toBe(24);
    const list = screen.getByRole("listbox", { hidden: true });
    Object.defineProperties(list, {
      clientHeight: { value: 300 },
      scrollHeight: { get: () => drawn() * 30 },
    });
    fireEvent.scroll(list, { target: { scrollTop: 0 } });
    expect(drawn()).toBe(24);
    fireEvent.scroll(list, { target: { scrollTop: 200 } });
    expect(drawn()).toBe(72);
    fireEvent.scroll(list, { target: { scrollTop: 72 * 30 - 300 } });
    expect(drawn()).toBe(120);
  });

  it("says when nothing is found", async () => {
    const { field } = await opened();
    await userEvent.type(field, "zzz");
    expect(screen.queryAllByRole("option")).toHaveLength(0);
    expect(screen.getByText("No matches.")).toBeTruthy();
  });
});
