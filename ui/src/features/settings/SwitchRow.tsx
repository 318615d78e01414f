import type { ReactNode } from "react";
import { Switch } from "../../components/Switch";

type Props = {
  title: string;
  checked: boolean;
  onChange: (on: boolean) => Promise<unknown>;
  /** What being on means. */
  children?: ReactNode;
};

/** Something that is on or off, with its name as a heading. */
export function SwitchRow({ title, checked, onChange, children }: Props) {
  return (
    <>
      <div className="settings-switch">
        <h3>{title}</h3>
        <Switch label={title} checked={checked} onChange={onChange} />
      </div>
      {children && <p className="secondary">{children}</p>}
    </>
  );
}
