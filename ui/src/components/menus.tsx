/** The menus, each a button until it has come. */
import type { ReactNode } from "react";
import { lazily } from "./lazily";

const Trigger = ({ label, title, trigger }: { label: string; title?: string; trigger: ReactNode }) => (
  <button type="button" className="status-button" aria-label={label} title={title}>
    {trigger}
  </button>
);

export const ChoiceMenu = lazily(() => import("./Menu").then((part) => part.ChoiceMenu), Trigger);

export const SearchMenu = lazily(() => import("./SearchMenu").then((part) => part.SearchMenu), Trigger);

export const ActionMenu = lazily(
  () => import("./Menu").then((part) => part.ActionMenu),
  ({ label, trigger, className, look }) => (
    <button
      type="button"
      className={look === "status" ? "status-button" : `button quiet icon small ${className ?? ""}`}
      aria-label={label}
      title={label}
    >
      {trigger}
    </button>
  ),
);
