import { type ReactNode, useId } from "react";

/**
 * A label beside its control, which takes the id. Not around it: WebKit would count what stands in the control, such as
 * its placeholder, as a part of its name.
 */
export function LabelledRow({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="settings-row">
      <label className="settings-label" htmlFor={id}>
        {label}
      </label>
      {children(id)}
    </div>
  );
}
