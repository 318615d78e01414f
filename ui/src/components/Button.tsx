import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { useKeysOf, withKeys } from "./command_keys";

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** `danger`: what it does can't be undone. */
  look?: "plain" | "primary" | "danger" | "quiet";
  small?: boolean;
  /** An icon alone: `label` is then the accessible name and the tooltip. */
  icon?: ReactNode;
  label?: string;
  /** Shown in the tooltip, never in the name. */
  shortcut?: string;
  /** The command it is a button for: its keys are shown. */
  command?: string;
  ref?: Ref<HTMLButtonElement>;
};

export function Button({
  look = "plain",
  small,
  icon,
  label,
  shortcut,
  command,
  className,
  title,
  children,
  ...rest
}: Props) {
  const bare = icon !== undefined && children === undefined;
  const hint = title ?? (bare ? label : undefined);
  const keys = useKeysOf(command) ?? shortcut;
  const tooltip = keys ? withKeys(hint ?? label ?? "", keys) : hint;
  const looks = ["button", look, small && "small", bare && "icon", className].filter(Boolean).join(" ");
  return (
    <button type="button" className={looks} aria-label={label} title={tooltip} {...rest}>
      {icon}
      {children}
    </button>
  );
}
