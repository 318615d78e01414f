/** How many modal dialogs are open: what is behind them hears no keys. */
import { useLayoutEffect } from "react";

let open = 0;

export const isModalOpen = () => open > 0;

/** Counts the caller's dialog for as long as it is open. */
export function useModal(isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return;
    open += 1;
    return () => {
      open -= 1;
    };
  }, [isOpen]);
}
