/** How the window can look. Apart from where it is chosen: the window knows this before there are settings to show. */
export type Theme = "system" | "light" | "dark";
export const themes = ["system", "light", "dark"] as const;

export type Contrast = "system" | "normal" | "high";
export const contrasts = ["system", "normal", "high"] as const;

/** Of words and code; zoom makes everything larger. */
export type TextSize = "usual" | "large" | "larger";
export const textSizes = ["usual", "large", "larger"] as const;

/** How much room rows, controls and cards take. */
export type Density = "comfortable" | "compact";
export const densities = ["comfortable", "compact"] as const;

/** It is put between quotes into a style: nothing in it can end them. */
export const isFontName = (name: string) => /^[\p{L}\p{N}][\p{L}\p{N} ._+-]{0,63}$/u.test(name);

export type Look = {
  theme: Theme;
  onTheme: (theme: Theme) => void;
  contrast: Contrast;
  onContrast: (contrast: Contrast) => void;
  textSize: TextSize;
  onTextSize: (size: TextSize) => void;
  density: Density;
  onDensity: (density: Density) => void;
  /** A family's name; empty for the system's. */
  codeFont: string;
  onCodeFont: (name: string) => void;
};
