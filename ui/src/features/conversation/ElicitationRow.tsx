/** One field of a server's form: its label and words, its control, and what is wrong with it; what stands in a form, and what of it is sent. */
import { t } from "@lingui/core/macro";
import { type ChangeEvent, type ReactNode, useId } from "react";
import type { ElicitationField, ElicitationReply, ElicitationValue } from "../../protocol/generated";
import "../../components/checks.css";

/** Texts of the boxes, ticks, and the chosen of several. */
export type Filled = Readonly<Record<string, FilledValue | undefined>>;
type FilledValue = string | boolean | readonly string[];

type Props = {
  field: ElicitationField;
  value: FilledValue | undefined;
  fault: string | null;
  onChange: (value: FilledValue) => void;
};

export function ElicitationRow(props: Props) {
  const { field, value, fault, onChange } = props;
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
  const control = { id, "aria-invalid": fault !== null, "aria-describedby": about || undefined };
  if (field.kind.type === "choices") return <Choices {...props} about={about || undefined} notes={notes} />;
  // Beside its control: what stands in that would count as a part of its name.
  const label = (
    <label className="elicitation-label" htmlFor={id} dir="auto">
      {field.label}
      {field.required && (
        <span className="secondary" aria-hidden>
          {t` (required)`}
        </span>
      )}
    </label>
  );
  return (
    <div className="elicitation-row" data-field>
      {field.kind.type === "boolean" ? (
        <div className="choice">
          <input
            {...control}
            type="checkbox"
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
          />
          {label}
        </div>
      ) : (
        <>
          {label}
          <Box {...props} control={control} />
        </>
      )}
      {notes}
    </div>
  );
}

/** A box for words or a number, or a list to choose one from. */
function Box({ field, value, onChange, control }: Props & { control: object }) {
  const { kind } = field;
  const shared = {
    ...control,
    className: "field",
    value: typeof value === "string" ? value : "",
    required: field.required,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => onChange(event.target.value),
  };
  if (kind.type === "choice") {
    return (
      <select {...shared}>
        <option value="">{t`Not chosen`}</option>
        {kind.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      {...shared}
      type={kind.type === "text" && kind.format === "email" ? "email" : "text"}
      inputMode={kind.type === "number" ? "decimal" : undefined}
      placeholder={placeholderOf(field)}
      autoComplete="off"
      dir="auto"
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

type ChoicesProps = Props & { about: string | undefined; notes: ReactNode };

function Choices({ field, value, about, notes, onChange }: ChoicesProps) {
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

export function firstFilled(fields: readonly ElicitationField[]): Filled {
  return Object.fromEntries(fields.map((field) => [field.name, firstValue(field)]));
}

function firstValue({ kind, default: given }: ElicitationField): FilledValue {
  if (kind.type === "boolean") return given === true;
  if (kind.type === "choices") return Array.isArray(given) ? given.map(String) : [];
  return given === null || given === undefined ? "" : String(given);
}

/** By the fields' names; an empty box is not sent. What is no number goes as it is, for the engine to say so. */
export function filledIn(fields: readonly ElicitationField[], filled: Filled): ElicitationReply["values"] {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = sentValue(field, filled[field.name]);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}

function sentValue(
  { kind, required }: ElicitationField,
  value: FilledValue | undefined,
): ElicitationValue | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  if (typeof value !== "string") return value.length === 0 && !required ? undefined : [...value];
  if (value === "") return undefined;
  if (kind.type !== "number") return value;
  const number = Number(value.trim());
  return value.trim() === "" || !Number.isFinite(number) ? value : number;
}
