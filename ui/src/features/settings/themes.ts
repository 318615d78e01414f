/** Apart from where one is chosen: the window knows them before there are settings to show. */
export type Theme = "system" | "light" | "dark";
export const themes: readonly Theme[] = ["system", "light", "dark"];

/** Of words and code; zoom makes everything larger. */
export type TextSize = "usual" | "large" | "larger";
export const textSizes: readonly TextSize[] = ["usual", "large", "larger"];
