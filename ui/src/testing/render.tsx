/** Renders a part of the window on a fake engine and waits until it has started. */
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { render as renderBare } from "@testing-library/react";
import { act, type ReactElement, type ReactNode } from "react";
import { fetchParts } from "../components/lazily";
import { ArkiProvider } from "../platform/context";
import type { CommandName, Params } from "../platform/platform";
import { createArki } from "../platform/stores/arki";
import type { Fake } from "./fake";

/** In English, as `app/mount` has it. */
export function render(element: ReactElement) {
  return renderBare(element, { wrapper: English });
}

function English({ children }: { children: ReactNode }) {
  return <I18nProvider i18n={i18n}>{children}</I18nProvider>;
}

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
