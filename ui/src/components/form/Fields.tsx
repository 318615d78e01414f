/** The rows of every form: each drawn from what its field is described as. */
import { type ComponentProps, type ReactNode, useId } from "react";
import type { ModelEntry } from "../../protocol/generated";
import { contextWords } from "../format";
import "../checks.css";
import "./form.css";

/** A value, and its words where they differ. */
export type Choice = string | readonly [value: string, words: string];

export type Field<Key extends string = string> = {
  key: Key;
  /** `code` is no words, `lines` are one entry a line; by default a line of text. A ticked `check` is "true". */
  kind?: "text" | "code" | "url" | "number" | "lines" | "choice" | "check";
  choices?: readonly Choice[];
  /** Below the control, and told with it. */
  about?: ReactNode;
  rows?: number;
} & Pick<ComponentProps<"input">, "dir" | "maxLength" | "placeholder" | "readOnly" | "required" | "step"> &
  // What may stand in it, and the words for that.
  Pick<ComponentProps<"input">, "pattern" | "title"> & { label: string };

/** One entry a line; `placeholder` says what. */
export const linesField = <Key extends string>(key: Key, label: string, placeholder: string): Field<Key> => ({
  key,
  label,
  kind: "lines",
  placeholder,
});

type Props<Key extends string> = {
  /** What is false isn't asked for now. */
  fields: readonly (Field<Key> | false)[];
  values: Readonly<Partial<Record<Key, string>>>;
  onChange: (key: Key, value: string) => void;
};

export function Fields<Key extends string>({ fields, values, onChange }: Props<Key>) {
  return fields.map(
    (field) =>
      field && (
        <FieldRow
          key={field.key}
          field={field}
          value={values[field.key] ?? ""}
          onChange={(value) => onChange(field.key, value)}
        />
      ),
  );
}

type RowProps = { field: Field; value: string; onChange: (value: string) => void };

/**
 * A label beside its control. Not around it: WebKit would count what stands in the control, such as its placeholder, as
 * a part of its name.
 */
export function FieldRow({ field, value, onChange }: RowProps) {
  const { label, kind = "text", about } = field;
  const [id, aboutId] = [useId(), useId()];
  const described = about ? aboutId : undefined;
  if (kind === "check")
    return (
      <label className="choice after-label">
        <input
          type="checkbox"
          checked={value === "true"}
          onChange={(event) => onChange(event.target.checked ? "true" : "")}
        />
        {label}
      </label>
    );
  return (
    <LabelledRow id={id} label={label} about={about} aboutId={aboutId}>
      <Control field={field} id={id} described={described} value={value} onChange={onChange} />
    </LabelledRow>
  );
}

type LabelledProps = { id: string; label: string; about?: ReactNode; aboutId: string; children: ReactNode };

/** A label and its control, which has the ids of itself and of what describes it. */
export function LabelledRow({ id, label, about, aboutId, children }: LabelledProps) {
  return (
    <div className="settings-row">
      <label htmlFor={id}>{label}</label>
      {children}
      {about && (
        <div id={aboutId} className="small secondary row-about">
          {about}
        </div>
      )}
    </div>
  );
}

type ControlProps = RowProps & { id: string; described: string | undefined };

function Control({ field, id, described, value, onChange }: ControlProps) {
  const { key: _key, label: _label, about: _about, kind = "text", choices = [], rows = 2, ...given } = field;
  const isWords = kind === "text" || kind === "choice" || kind === "number";
  const common = {
    id,
    value,
    className: `field${isWords ? "" : " mono"}`,
    required: given.required,
    "aria-describedby": described,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (kind === "choice") return <Select {...common} choices={choices} />;
  if (kind === "lines")
    return (
      <textarea
        {...common}
        rows={rows}
        placeholder={given.placeholder}
        dir={given.dir}
        // Names and code are no words.
        spellCheck={false}
      />
    );
  const type = kind === "url" || kind === "number" ? kind : "text";
  return <input {...given} {...common} type={type} spellCheck={kind === "text" ? undefined : false} />;
}

export function Select({ choices, ...select }: ComponentProps<"select"> & { choices: readonly Choice[] }) {
  return (
    <select {...select}>
      {choices.map((choice) => {
        const [value, words] = typeof choice === "string" ? [choice, choice] : choice;
        return (
          <option key={value} value={value}>
            {words}
          </option>
        );
      })}
    </select>
  );
}

/** Each model by its id, with the size of its context where that is known. */
export function modelChoices(models: readonly ModelEntry[]): Choice[] {
  return models.map((model) => {
    const words = contextWords(model);
    return [model.id, words ? `${model.id} (${words})` : model.id];
  });
}
