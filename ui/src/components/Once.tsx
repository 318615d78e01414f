import { type ReactNode, useState } from "react";

/** There from the first time on: what was never shown is not even fetched, and what is hidden again keeps its state. */
export function Once({ when, children }: { when: boolean; children: ReactNode }) {
  const [been, setBeen] = useState(when);
  if (when && !been) setBeen(true);
  return been ? children : null;
}
