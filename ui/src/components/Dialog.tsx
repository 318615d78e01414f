import { Dialog as Base } from "@base-ui/react/dialog";
import { t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { type ReactNode, type RefObject, useLayoutEffect, useRef } from "react";
import { useModal } from "./modal";

type Props = {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
  /** `most`: as much room as a graph wants. `paned`: of one size, and the content scrolls by itself. */
  wide?: boolean | "most" | "paned";
  /** What has the focus first; by default the first control. */
  initialFocus?: RefObject<HTMLElement | null>;
  /** What has it afterwards where what had it before is gone. */
  nextFocus?: RefObject<HTMLElement | null>;
  /** Runs once it has closed and the focus was given back, which this may then place elsewhere. */
  afterwards?: () => void;
};

/** A modal dialog whose accessible name is its title. Escape closes it and focus goes back. */
export function Dialog(props: Props) {
  const { title, open, onClose, children, footer, wide, initialFocus, nextFocus, afterwards } = props;
  const before = useRef<Element | null>(null);
  const popup = useRef<HTMLDivElement>(null);
  useModal(open);
  useLayoutEffect(() => {
    if (open) before.current = document.activeElement;
  }, [open]);
  // What is being typed in a form marked so doesn't go with a click beside the dialog.
  const isTypedIn = () => popup.current?.querySelector("[data-typing]") != null;
  const isGone = () => before.current?.isConnected === false;
  return (
    <Base.Root
      open={open}
      onOpenChange={(next, { reason }) => {
        if (!next && !(reason === "outside-press" && isTypedIn())) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          ref={popup}
          className={wide ? `dialog ${wide === true ? "wide" : wide}` : "dialog"}
          initialFocus={(openedBy) => {
            // Laid out before its first control is looked for: while any style sheet is on its way, WebKit's
            // `checkVisibility` finds nothing that is new visible (WebKitGTK 2.50).
            popup.current?.getBoundingClientRect();
            // No button in it for a finger, which would seem to choose it.
            return initialFocus?.current ?? (openedBy === "touch" ? popup.current : true);
          }}
          finalFocus={() => {
            // It is given back right after this is asked.
            if (afterwards) setTimeout(afterwards, 0);
            return (isGone() && nextFocus?.current) || true;
          }}
        >
          <div className="dialog-head">
            <Base.Title>{title}</Base.Title>
          </div>
          <div className="dialog-body">{children}</div>
          {footer && <div className="dialog-foot">{footer}</div>}
          {/* Last, so that the first control of the content has the focus first. */}
          <Base.Close
            className="button quiet icon small dialog-close"
            aria-label={t`Close`}
            title={t`Close (Esc)`}
          >
            <X size={16} aria-hidden />
          </Base.Close>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
