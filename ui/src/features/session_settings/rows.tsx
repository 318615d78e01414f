import { type ReactNode, useId } from "react";

type Row = {
  label: string;
  /** Where the value comes from. */
  source: ReactNode;
};

/** A label and a control, which takes the ids of itself and of what describes it; below, where the value comes from. */
export function SettingRow({
  label,
  source,
  children,
}: Row & { children: (id: string, about: string) => ReactNode }) {
  const id = useId();
  const about = useId();
  return (
    <div className="session-setting">
      <label htmlFor={id}>{label}</label>
      <div className="session-setting-value">
        {children(id, about)}
        <p id={about} className="small secondary">
          {source}
        </p>
      </div>
    </div>
  );
}

type ChoiceProps = Row & { value: string; onChange: (value: string) => void; children: ReactNode };

/** The children are its options. */
export function ChoiceRow({ label, source, value, onChange, children }: ChoiceProps) {
  return (
    <SettingRow label={label} source={source}>
      {(id, about) => (
        <select
          id={id}
          className="field"
          aria-describedby={about}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {children}
        </select>
      )}
    </SettingRow>
  );
}
