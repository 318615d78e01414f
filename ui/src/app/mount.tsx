// The tokens and elements come first, so that a feature's looks win over them.
import "../styles/tokens.css";
import "../styles/base.css";
import { StrictMode } from "react";
import type { Root } from "react-dom/client";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { recall } from "../components/remembered";
import { ArkiProvider } from "../platform/context";
import type { Platform } from "../platform/platform";
import { createArki } from "../platform/stores/arki";
import { App } from "./App";

export function mount(root: Root, platform: Platform): void {
  const arki = createArki(platform, Date.now);
  void arki.start(recall("session"));
  root.render(
    <StrictMode>
      <ArkiProvider value={arki}>
        <ErrorBoundary part="The window">
          <App />
        </ErrorBoundary>
      </ArkiProvider>
    </StrictMode>,
  );
}
