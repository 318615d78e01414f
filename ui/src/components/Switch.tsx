import "./switch.css";

type Props = { label: string; checked: boolean; disabled?: boolean; onChange: (checked: boolean) => void };

/** On or off, in effect at once. Its label is for assistive technology: what it switches is named beside it. */
export function Switch({ label, checked, disabled, onChange }: Props) {
  return (
    <input
      type="checkbox"
      role="switch"
      className="switch"
      aria-label={label}
      title={label}
      checked={checked}
      aria-checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}
