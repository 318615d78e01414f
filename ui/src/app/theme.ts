/** How the window looks, as its user chose. The style sheets are told by marks of the document. */
import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";
import { recall, remember, useRemembered } from "../components/remembered";
import {
  type Contrast,
  contrasts,
  densities,
  isFontName,
  type Look,
  textSizes,
  themes,
} from "../features/settings/themes";
import { useArki } from "../platform/context";

export function useLook(): Look {
  const [theme, onTheme] = useChoice("theme", "theme", themes);
  const [textSize, onTextSize] = useChoice("text-size", "text", textSizes);
  const [density, onDensity] = useChoice("density", "density", densities);
  const [contrast, onContrast] = useRemembered("contrast", "system", contrasts);
  useHighContrast(contrast);
  const [codeFont, setCodeFont] = useState(() => recall("code-font") ?? "");
  useCodeFont(codeFont);
  const onCodeFont = (name: string) => {
    remember("code-font", name);
    setCodeFont(name);
  };
  return {
    ...{ theme, onTheme, textSize, onTextSize, density, onDensity },
    ...{ contrast, onContrast, codeFont, onCodeFont },
  };
}

/** The first of the choices is how the window is without one. */
function useChoice<T extends string>(key: string, mark: string, choices: readonly [T, ...T[]]) {
  const remembered = useRemembered<T>(key, choices[0], choices);
  useMark(mark, remembered[0] === choices[0] ? null : remembered[0]);
  return remembered;
}

const asked = () => matchMedia("(prefers-contrast: more), (forced-colors: active)");
const onAsked = (tell: () => void) => {
  const media = asked();
  media.addEventListener("change", tell);
  return () => media.removeEventListener("change", tell);
};

/** Its tokens are read by those alone who want them. */
function useHighContrast(contrast: Contrast): void {
  const isAsked = useSyncExternalStore(onAsked, () => asked().matches);
  const isHigh = contrast === "high" || (contrast === "system" && isAsked);
  useMark("contrast", isHigh ? "high" : null);
  useLayoutEffect(() => {
    if (isHigh) void import("../styles/high_contrast.css");
  }, [isHigh]);
}

function useCodeFont(name: string): void {
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    if (isFontName(name)) style.setProperty("--mono", `"${name}", monospace`);
    else style.removeProperty("--mono");
  }, [name]);
}

function useMark(name: string, value: string | null): void {
  useLayoutEffect(() => {
    if (value === null) delete document.documentElement.dataset[name];
    else document.documentElement.dataset[name] = value;
  }, [name, value]);
}

/** In percent. */
const steps = [50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300].map(String);
const usual = "100";

/** How large everything is drawn. Kept for the next start. */
export function useZoom() {
  const { platform } = useArki();
  const [zoom, setZoom] = useRemembered("zoom", usual, steps);
  useEffect(() => {
    void platform.setZoom(Number(zoom) / 100).catch(() => undefined);
  }, [platform, zoom]);
  const step = (by: 1 | -1) => () => setZoom(steps[steps.indexOf(zoom) + by] ?? zoom);
  return { zoomIn: step(1), zoomOut: step(-1), zoomUsual: () => setZoom(usual) };
}
