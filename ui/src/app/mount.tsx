// The tokens and elements come first, so that a feature's looks win over them.
import { t } from "@lingui/core/macro";
import "../styles/tokens.css";
import "../styles/base.css";
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { StrictMode } from "react";
import type { Root } from "react-dom/client";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { ArkiProvider } from "../platform/context";
import type { Platform } from "../platform/platform";
import { createArki } from "../platform/stores/arki";
import { App } from "./App";
import { speak } from "./locale";

export function mount(root: Root, platform: Platform): void {
  const arki = createArki(platform, Date.now);
  void arki.start();
  const draw = () =>
    root.render(
      <StrictMode>
        <I18nProvider i18n={i18n} key={i18n.locale}>
          <ArkiProvider value={arki}>
            <ErrorBoundary part={t`The window`}>
              <App />
            </ErrorBoundary>
          </ArkiProvider>
        </I18nProvider>
      </StrictMode>,
    );
  speak(navigator.languages, draw);
  draw();
}
