import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
export type Theme = "system" | "light" | "dark";
export const themes: readonly Theme[] = ["system", "light", "dark"];

const words: Record<Theme, MessageDescriptor> = {
  system: msg`System`,
  light: msg`Light`,
  dark: msg`Dark`,
};

export function Appearance({ theme, onTheme }: { theme: Theme; onTheme: (theme: Theme) => void }) {
  return (
    <fieldset className="choices">
      <legend>{t`Theme`}</legend>
      {themes.map((one) => (
        <label key={one} className="choice">
          <input
            type="radio"
            name="theme"
            value={one}
            checked={theme === one}
            onChange={() => onTheme(one)}
          />
          {i18n._(words[one])}
        </label>
      ))}
    </fieldset>
  );
}
