import { useSyncExternalStore } from "react";

/** Whether the window is dark: the user chose it, or the system is and they chose nothing. */
export function useDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

const system = () => window.matchMedia("(prefers-color-scheme: dark)");

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? system().matches : theme === "dark";
}

function subscribe(tell: () => void): () => void {
  const media = system();
  media.addEventListener("change", tell);
  const observer = new MutationObserver(tell);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    media.removeEventListener("change", tell);
    observer.disconnect();
  };
}
