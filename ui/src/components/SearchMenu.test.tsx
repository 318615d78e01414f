import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { SearchMenu } from "./SearchMenu";

const choices = Array.from({ length: 150 }, (_, number) => ({
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
    expect(screen.getAllByRole("option", { hidden: true })).toHaveLength(100);
    expect(screen.getByText("100 of 150 are shown. Type to find others.")).toBeTruthy();
    await userEvent.type(field, "MODEL-149");
    expect(screen.getAllByRole("option")).toHaveLength(1);
    await userEvent.keyboard("{Enter}");
    expect(onChoose).toHaveBeenCalledExactlyOnceWith("router/model-149");
  });

  it("says when nothing is found", async () => {
    const { field } = await opened();
    await userEvent.type(field, "zzz");
    expect(screen.queryAllByRole("option")).toHaveLength(0);
    expect(screen.getByText("Nothing is called so.")).toBeTruthy();
  });
});
