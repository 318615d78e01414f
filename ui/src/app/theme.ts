import { useLayoutEffect } from "react";
import { useRemembered } from "../components/remembered";
import { type Theme, themes } from "../features/settings/themes";

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useRemembered<Theme>("theme", "system", themes);
  useLayoutEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [theme, setTheme];
}
