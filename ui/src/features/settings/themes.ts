/** Apart from where one is chosen: the window knows them before there are settings to show. */
export type Theme = "system" | "light" | "dark";
export const themes: readonly Theme[] = ["system", "light", "dark"];
