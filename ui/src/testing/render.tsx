/** Renders a part of the window on a fake engine and waits until it has started. */
import { render } from "@testing-library/react";
import { act, type ReactElement } from "react";
import { fetchParts } from "../components/lazily";
import { ArkiProvider } from "../platform/context";
import type { CommandName, Params } from "../platform/platform";
import { createArki } from "../platform/stores/arki";
import type { Fake } from "./fake";

export async function renderOn(fake: Fake, element: ReactElement) {
  const arki = createArki(fake.platform, () => 0);
  await Promise.all([fetchParts(), act(() => arki.start())]);
  const view = render(<ArkiProvider value={arki}>{element}</ArkiProvider>);
  await act(async () => {});
  return { arki, ...view };
}

/** The parameters of every call of one command, in order. */
export function sent<Name extends CommandName>(fake: Fake, name: Name): Params<Name>[] {
  return fake.calls.filter((call) => call.name === name).map((call) => call.params as Params<Name>);
}
