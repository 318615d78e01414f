import { act, screen } from "@testing-library/react";
import { afterEach, it } from "vitest";
import { unremember } from "../components/remembered";
import type { ModelEntry } from "../protocol/generated";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { useChosenModel } from "./chosen_model";

afterEach(() => unremember("model"));

function Choice() {
  const { model, choose } = useChosenModel();
  return (
    <button type="button" onClick={() => choose("lab/m")}>
      {model ?? "none"}
    </button>
  );
}

const listed = (provider: string) => ({ models: [{ id: `${provider}/m`, provider }] as ModelEntry[] });

it("is chosen for later windows too, until another default is", async () => {
  const first = await renderOn(createFake(listed("lab")), <Choice />);
  act(() => screen.getByRole("button", { name: "none" }).click());
  screen.getByRole("button", { name: "lab/m" });
  first.unmount();
  const later = await renderOn(createFake(listed("lab")), <Choice />);
  screen.getByRole("button", { name: "lab/m" });
  await act(async () => {
    await later.arki.platform.call("set_default_model", { model: "openai/other" });
    await later.arki.refreshApp();
  });
  screen.getByRole("button", { name: "none" });
  later.unmount();
  await renderOn(createFake(listed("lab")), <Choice />);
  screen.getByRole("button", { name: "none" });
});

it("doesn't count where its provider is gone", async () => {
  const first = await renderOn(createFake(listed("lab")), <Choice />);
  act(() => screen.getByRole("button", { name: "none" }).click());
  first.unmount();
  await renderOn(createFake(listed("openai")), <Choice />);
  screen.getByRole("button", { name: "none" });
});
