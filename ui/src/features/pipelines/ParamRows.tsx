/** What a pipeline is started with: a control for each of its parameters, and what starting it allows. */
import { t } from "@lingui/core/macro";
import { visibleWords } from "../../components/code/invisible";
import { VisibleText } from "../../components/code/VisibleText";
import { type Choice, type Field, Fields } from "../../components/form/Fields";
import { List } from "../../components/List";
import type { PipelineEntry, PipelineParam } from "../../protocol/generated";
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

/** What starting a pipeline allows: its own steps, and what they and those of pipelines that it runs get beyond the sandbox. */
export function Grants({ id, entry: { grants } }: { id: string; entry: PipelineEntry }) {
  return (
    <div id={id} className={grants.length > 0 ? "pipeline-grants some" : "pipeline-grants"}>
      <p className="small">
        {t`Starting it approves its own steps. Commands run in the sandbox, without network.`}{" "}
        {grants.length > 0 && t`Beyond the sandbox, it allows:`}
      </p>
      {grants.length > 0 && (
        <List className="small">
          {grants.map((grant) => (
            <li key={grant}>
              ! <VisibleText text={grant} />
            </li>
          ))}
        </List>
      )}
    </div>
  );
}
