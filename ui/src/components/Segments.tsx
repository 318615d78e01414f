/** One of a few, side by side: a group of radio buttons, so that the arrow keys choose. */
import { useId } from "react";
import "./segments.css";

type Props<Value extends string> = {
  label: string;
  value: Value;
  choices: readonly { value: Value; words: string }[];
  onChoose: (value: Value) => void;
};

export function Segments<Value extends string>({ label, value, choices, onChoose }: Props<Value>) {
  const name = useId();
  return (
    <fieldset className="segments" aria-label={label}>
      {choices.map((choice) => (
        <label key={choice.value} className="segment">
          <input
            type="radio"
            className="sr-only"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChoose(choice.value)}
          />
          {choice.words}
        </label>
      ))}
    </fieldset>
  );
}
