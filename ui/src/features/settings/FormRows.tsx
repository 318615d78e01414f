import { type HTMLInputTypeAttribute, type ReactNode, useId } from "react";

type Row = { label: string; value: string; onChange: (value: string) => void };

type TextProps = Row & {
  type?: HTMLInputTypeAttribute;
  mono?: boolean;
  required?: boolean;
  readOnly?: boolean;
  maxLength?: number;
  placeholder?: string;
  /** What may stand in it, and the words for that. */
  pattern?: string;
  title?: string;
};

export function TextRow({ label, onChange, mono, ...input }: TextProps) {
  return (
    <LabelledRow label={label}>
      {(id) => (
        <input
          id={id}
          className={mono ? "field mono" : "field"}
          // Names and code are no words.
          spellCheck={mono ? false : undefined}
          onChange={(event) => onChange(event.target.value)}
          {...input}
        />
      )}
    </LabelledRow>
  );
}

/** A text of one entry a line. */
export function LinesRow({ label, onChange, ...area }: Row & { placeholder: string; rows?: number }) {
  return (
    <LabelledRow label={label}>
      {(id) => (
        <textarea
          id={id}
          className="field mono"
          rows={2}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
          {...area}
        />
      )}
    </LabelledRow>
  );
}

/** The children are its options. */
export function ChoiceRow({ label, value, onChange, children }: Row & { children: ReactNode }) {
  return (
    <LabelledRow label={label}>
      {(id) => (
        <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
          {children}
        </select>
      )}
    </LabelledRow>
  );
}

/**
 * A label beside its control, which takes the id. Not around it: WebKit would count what stands in the control, such as
 * its placeholder, as a part of its name.
 */
function LabelledRow({ label, children }: { label: string; children: (id: string) => ReactNode }) {
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
