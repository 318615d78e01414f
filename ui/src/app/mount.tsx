// The tokens and elements come first, so that a feature's looks win over them.
import { t } from "@lingui/core/macro";
import "../styles/tokens.css";
import "../styles/base.css";
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { StrictMode } from "react";
import type { Root } from "react-dom/client";
import { CanProvider } from "../components/can";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { ArkiProvider } from "../platform/context";
import type { Platform } from "../platform/platform";
import { type Arki, createArki } from "../platform/stores/arki";
import { App } from "./App";
import { speak, useLocale } from "./locale";
import { everyCommand, type Offered, OfferedContext } from "./use_commands";

/** An engine that takes longer than this is waited for in the window, which takes keys by then. */
const patienceMs = 500;

export async function mount(root: Root, platform: Platform, offered: Offered = everyCommand): Promise<void> {
  const arki = createArki(platform, Date.now);
  void arki.start();
  await Promise.all([speak(), known(arki)]);
  root.render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <ArkiProvider value={arki}>
          <CanProvider value={platform.can}>
            <OfferedContext value={offered}>
              <Whole />
            </OfferedContext>
          </CanProvider>
        </ArkiProvider>
      </I18nProvider>
    </StrictMode>,
  );
}

/** What the engine says is drawn in one step; until then the page shows its frame. */
function known({ ready, failure }: Arki): Promise<void> {
  return new Promise((resolve) => {
    const stop = [ready, failure].map((store) =>
      store.subscribe(() => {
        if (ready.get() || failure.get() !== null) done();
      }),
    );
    const patience = setTimeout(() => done(), patienceMs);
    const done = () => {
      for (const unsubscribe of stop) unsubscribe();
      clearTimeout(patience);
      resolve();
    };
  });
}

function Whole() {
  useLocale();
  return (
    <ErrorBoundary part={t`The window`}>
      <App />
    </ErrorBoundary>
  );
}
