/** What starting a pipeline allows: its own steps, and what they and those of pipelines that it runs get beyond the sandbox. */
import { t } from "@lingui/core/macro";
import { VisibleText } from "../../components/code/VisibleText";
import { List } from "../../components/List";
import type { PipelineEntry } from "../../protocol/generated";

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
