import { useRef, useState } from "react";
import "./switch.css";

type Props = {
  label: string;
  checked: boolean;
  disabled?: boolean;
  /** Ends when `checked` tells what came of it. */
  onChange: (checked: boolean) => Promise<unknown>;
};

/**
 * On or off, in effect at once. Its label is for assistive technology: what it switches is named beside it.
 *
 * It shows what was chosen while that is carried out, so a second click means the opposite of the first.
 */
export function Switch({ label, checked, disabled, onChange }: Props) {
  const [chosen, setChosen] = useState<{ on: boolean } | null>(null);
  const carriedOut = useRef<Promise<unknown>>(Promise.resolve());
  const on = chosen?.on ?? checked;
  const choose = (on: boolean) => {
    const choice = { on };
    const carryOut = () => onChange(on);
    setChosen(choice);
    carriedOut.current = carriedOut.current
      .then(carryOut, carryOut)
      .finally(() => setChosen((latest) => (latest === choice ? null : latest)));
  };
  return (
    <input
      type="checkbox"
      role="switch"
      className="switch"
      aria-label={label}
      title={label}
      checked={on}
      aria-checked={on}
      disabled={disabled}
      onChange={(event) => choose(event.target.checked)}
    />
  );
}
