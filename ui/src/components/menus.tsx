/** The menus, each a button until it has come. */
import { lazily } from "./lazily";

export const ChoiceMenu = lazily(
  () => import("./Menu").then((part) => part.ChoiceMenu),
  ({ label, title, trigger }) => (
    <button type="button" className="status-button" aria-label={label} title={title}>
      {trigger}
    </button>
  ),
);
export const SearchMenu = lazily(
  () => import("./SearchMenu").then((part) => part.SearchMenu),
  ({ label, title, trigger }) => (
    <button type="button" className="status-button" aria-label={label} title={title}>
      {trigger}
    </button>
  ),
);
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
