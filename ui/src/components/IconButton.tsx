import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { Button } from "./Button";

type Props = Omit<ComponentProps<typeof Button>, "icon" | "small" | "look" | "children"> & {
  icon: LucideIcon;
  /** Its accessible name, and its tooltip where it has no other. */
  label: string;
  size?: 14 | 16;
};

/** A small button that is an icon alone. */
export function IconButton({ icon: Icon, size = 14, ...button }: Props) {
  return <Button small look="quiet" icon={<Icon size={size} aria-hidden />} {...button} />;
}
