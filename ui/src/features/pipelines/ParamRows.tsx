/** A control for each parameter of a pipeline. */
import { t } from "@lingui/core/macro";
import { visibleWords } from "../../components/code/invisible";
import { VisibleText } from "../../components/code/VisibleText";
import { type Choice, type Field, Fields } from "../../components/form/Fields";
import type { PipelineParam } from "../../protocol/generated";
import { choicesOf, type Values } from "./values";

type Props = {
  params: readonly PipelineParam[];
  values: Values;
  onChange: (values: Values) => void;
};

export function ParamRows({ params, values, onChange }: Props) {
  return (
    <Fields
      fields={params.map((param) => fieldOf(param, values[param.name] ?? ""))}
      values={values}
      onChange={(name, value) => onChange({ ...values, [name]: value })}
    />
  );
}

function fieldOf(param: PipelineParam, value: string): Field {
  const { name, type, description, default: usual } = param;
  const offered = choicesOf(param);
  const choices = offered.map((choice): Choice => [choice, visibleWords(choice)]);
  if (!offered.includes(value)) choices.unshift(["", t`Choose…`]);
  const isRequired = usual === null;
  const words = [description, isRequired && t`Required.`].filter(Boolean).join(" ");
  return {
    key: name,
    label: name,
    kind: offered.length > 0 ? "choice" : type === "string" ? "code" : "number",
    choices,
    required: isRequired,
    step: type === "integer" ? 1 : "any",
    placeholder: usual === null ? undefined : visibleWords(usual),
    about: words !== "" && <VisibleText text={words} />,
  };
}
