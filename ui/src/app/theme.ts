import { useLayoutEffect } from "react";
import { useRemembered } from "../components/remembered";
import { type TextSize, type Theme, textSizes, themes } from "../features/settings/themes";

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useRemembered<Theme>("theme", "system", themes);
  useMark("theme", theme === "system" ? null : theme);
  return [theme, setTheme];
}

export function useTextSize(): [TextSize, (size: TextSize) => void] {
  const [size, setSize] = useRemembered<TextSize>("text-size", "usual", textSizes);
  useMark("text", size === "usual" ? null : size);
  return [size, setSize];
}

/** Tells the style sheets. */
function useMark(name: string, value: string | null): void {
  useLayoutEffect(() => {
    if (value === null) delete document.documentElement.dataset[name];
    else document.documentElement.dataset[name] = value;
  }, [name, value]);
}
