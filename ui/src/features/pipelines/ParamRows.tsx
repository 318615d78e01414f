/** A control for each parameter of a pipeline. */
import { t } from "@lingui/core/macro";
import { useId } from "react";
import { visibleWords } from "../../components/code/invisible";
import { VisibleText } from "../../components/code/VisibleText";
import type { PipelineParam } from "../../protocol/generated";
import { choicesOf, type Values } from "./values";

type Props = {
  params: readonly PipelineParam[];
  values: Values;
  onChange: (values: Values) => void;
};

export function ParamRows({ params, values, onChange }: Props) {
  return params.map((param) => (
    <ParamRow
      key={param.name}
      param={param}
      value={values[param.name] ?? ""}
      onChange={(value) => onChange({ ...values, [param.name]: value })}
    />
  ));
}

type RowProps = { param: PipelineParam; value: string; onChange: (value: string) => void };

function ParamRow({ param, value, onChange }: RowProps) {
  const [id, about] = [useId(), useId()];
  const choices = choicesOf(param);
  const isRequired = param.default === null;
  const common = { id, className: "field", value, required: isRequired, "aria-describedby": about };
  return (
    <div className="pipeline-row">
      <label className="mono" htmlFor={id}>
        {param.name}
      </label>
      {choices.length > 0 ? (
        <select {...common} onChange={(event) => onChange(event.target.value)}>
          {!choices.includes(value) && <option value="">{t`Choose…`}</option>}
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {visibleWords(choice)}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type={param.type === "string" ? "text" : "number"}
          step={param.type === "integer" ? 1 : "any"}
          placeholder={param.default === null ? undefined : visibleWords(param.default)}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      <p className="small secondary pipeline-about" id={about}>
        <VisibleText text={[param.description, isRequired && t`Required.`].filter(Boolean).join(" ")} />
      </p>
    </div>
  );
}
