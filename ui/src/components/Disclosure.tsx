import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

type Props = {
  open: boolean;
  onToggle: () => void;
  /** Id of what it shows and hides. */
  controls?: string;
  className?: string;
  children: ReactNode;
};

/** A line that shows and hides what is below it. */
export function Disclosure({ open, onToggle, controls, className, children }: Props) {
  return (
    <button
      type="button"
      className={className ? `disclosure ${className}` : "disclosure"}
      aria-expanded={open}
      aria-controls={controls}
      onClick={onToggle}
    >
      <ChevronRight size={14} className="disclosure-chevron" aria-hidden />
      {children}
    </button>
  );
}
