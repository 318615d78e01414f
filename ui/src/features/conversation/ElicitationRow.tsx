/** One field of a server's form: its label and words, its control, and what is wrong with it. */
import { t } from "@lingui/core/macro";
import { useId } from "react";
import type { ElicitationField } from "../../protocol/generated";
import type { FilledValue } from "./elicitation_values";
import "../../components/checks.css";

type Props = {
  field: ElicitationField;
  value: FilledValue | undefined;
  fault: string | null;
  onChange: (value: FilledValue) => void;
};

type ControlProps = Props & { id: string; about: string | undefined };

export function ElicitationRow(props: Props) {
  const { field, fault } = props;
  const [id, words, wrong] = [useId(), useId(), useId()];
  const about = [field.description !== "" && words, fault !== null && wrong].filter(Boolean).join(" ");
  const notes = (
    <>
      {field.description !== "" && (
        <p id={words} className="small secondary" dir="auto">
          {field.description}
        </p>
      )}
      {fault !== null && (
        <p id={wrong} className="small elicitation-fault" role="alert">
          <span aria-hidden>✕ </span>
          {fault}
        </p>
      )}
    </>
  );
  const given = { ...props, id, about: about || undefined };
  if (field.kind.type === "choices") return <Choices {...given} notes={notes} />;
  if (field.kind.type === "boolean") {
    return (
      <div className="elicitation-row" data-field>
        <div className="choice">
          <Tick {...given} />
          <Label field={field} id={id} />
        </div>
        {notes}
      </div>
    );
  }
  return (
    <div className="elicitation-row" data-field>
      <Label field={field} id={id} />
      {field.kind.type === "choice" ? <Choice {...given} /> : <Box {...given} />}
      {notes}
    </div>
  );
}

/** Beside its control: what stands in that would count as a part of its name. */
function Label({ field, id }: { field: ElicitationField; id: string }) {
  return (
    <label className="elicitation-label" htmlFor={id} dir="auto">
      {field.label}
      {field.required && (
        <span className="secondary" aria-hidden>
          {t` (required)`}
        </span>
      )}
    </label>
  );
}

function Box({ field, value, fault, id, about, onChange }: ControlProps) {
  const { kind } = field;
  const type = kind.type === "text" && kind.format === "email" ? "email" : "text";
  return (
    <input
      id={id}
      className="field"
      type={type}
      inputMode={kind.type === "number" ? "decimal" : undefined}
      placeholder={placeholderOf(field)}
      autoComplete="off"
      dir="auto"
      value={typeof value === "string" ? value : ""}
      required={field.required}
      aria-invalid={fault !== null}
      aria-describedby={about}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** What may stand in it, where that is not plain. */
function placeholderOf({ kind }: ElicitationField): string | undefined {
  if (kind.type === "text") {
    const examples = {
      email: "ada@example.org",
      uri: "https://example.org/",
      date: "2026-12-24",
      date_time: "2026-12-24T18:00:00Z",
    };
    return kind.format === null ? undefined : examples[kind.format];
  }
  if (kind.type !== "number") return undefined;
  if (kind.minimum !== null && kind.maximum !== null) return t`${kind.minimum} to ${kind.maximum}`;
  if (kind.minimum !== null) return t`at least ${kind.minimum}`;
  return kind.maximum === null ? undefined : t`at most ${kind.maximum}`;
}

function Tick({ value, fault, id, about, onChange }: ControlProps) {
  return (
    <input
      id={id}
      type="checkbox"
      checked={value === true}
      aria-invalid={fault !== null}
      aria-describedby={about}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}

function Choice({ field, value, fault, id, about, onChange }: ControlProps) {
  const options = field.kind.type === "choice" ? field.kind.options : [];
  return (
    <select
      id={id}
      className="field"
      value={typeof value === "string" ? value : ""}
      required={field.required}
      aria-invalid={fault !== null}
      aria-describedby={about}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{t`Not chosen`}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.title}
        </option>
      ))}
    </select>
  );
}

function Choices({ field, value, about, notes, onChange }: ControlProps & { notes: React.ReactNode }) {
  const options = field.kind.type === "choices" ? field.kind.options : [];
  const chosen: readonly string[] = typeof value === "object" ? value : [];
  const turn = (option: string, on: boolean) =>
    onChange(options.map((one) => one.value).filter((one) => (one === option ? on : chosen.includes(one))));
  return (
    <fieldset className="elicitation-row elicitation-choices" data-field aria-describedby={about}>
      <legend className="elicitation-label" dir="auto">
        {field.label}
        {field.required && <span className="secondary">{t` (required)`}</span>}
      </legend>
      <div className="elicitation-options">
        {options.map((option) => (
          <label key={option.value} className="choice">
            <input
              type="checkbox"
              checked={chosen.includes(option.value)}
              onChange={(event) => turn(option.value, event.target.checked)}
            />
            <span dir="auto">{option.title}</span>
          </label>
        ))}
      </div>
      {notes}
    </fieldset>
  );
}
