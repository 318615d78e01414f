/** What the composer and its menu say to each other. */
import type { KeyboardEvent } from "react";

export type MenuEntry = {
  key: string;
  icon: "file" | "folder" | "session" | "diff" | "codebase" | null;
  label: string;
  /** Behind the label: what else is to be written. */
  hint: string;
  detail: string;
  /** What takes the place of what was written. */
  insert: string;
  /** Enter sends it as it is, for nothing more has to be written. */
  sends: boolean;
  /** Tab goes on from it, as into a folder. */
  leadsOn: boolean;
};

export type ChosenBy = "Enter" | "Tab";

/** Answers whether the menu has taken the key. */
export type MenuKeys = (event: KeyboardEvent) => boolean;
