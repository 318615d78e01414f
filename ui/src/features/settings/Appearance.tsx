export type Theme = "system" | "light" | "dark";
export const themes: readonly Theme[] = ["system", "light", "dark"];

const words: Record<Theme, string> = { system: "As the system", light: "Light", dark: "Dark" };

export function Appearance({ theme, onTheme }: { theme: Theme; onTheme: (theme: Theme) => void }) {
  return (
    <fieldset className="choices">
      <legend>Theme</legend>
      {themes.map((one) => (
        <label key={one} className="choice">
          <input
            type="radio"
            name="theme"
            value={one}
            checked={theme === one}
            onChange={() => onTheme(one)}
          />
          {words[one]}
        </label>
      ))}
    </fieldset>
  );
}
