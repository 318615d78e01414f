/** Before the first words of a session: what can be said, with examples that fit to the folder, and who answers. */
import { t } from "@lingui/core/macro";
import { folderName } from "../../components/format";
import type { OnLink } from "../../components/markdown/Markdown";
import { useApp, useFolder } from "../../platform/context";
import { Examples, ModelChoice } from "./parts";
import "./welcome.css";

type Props = {
  folder: string;
  /** The model that the next message goes to, where another than the default was chosen. */
  model: string | null;
  /** `all`: the words of every example. */
  onExample: (words: string, all: readonly string[]) => void;
  onTrust: () => void;
  onModel: (id: string) => void;
  onLink: OnLink;
};

const isDemo = (model: string) => model.startsWith("demo/");

export function NewSession({ folder, model, onExample, onTrust, onModel, onLink }: Props) {
  const project = useFolder(folder);
  const app = useApp();
  const current = model ?? app?.defaultModel ?? "";
  const name = folderName(folder);
  return (
    <div className="first-words">
      <h1>{t`What should change in ${name}?`}</h1>
      {project === null || project.trust === "trusted" ? (
        <p className="secondary">
          {t`Describe it in your own words. You review each edit before Arki writes it.`}
        </p>
      ) : (
        <p className="secondary">
          {t`The folder is not trusted: Arki can read it and answer, but can't edit files or run commands.`}{" "}
          <button type="button" className="link" onClick={onTrust}>
            {t`Show what trust turns on`}
          </button>
        </p>
      )}
      <Examples folder={folder} trust={project?.trust ?? null} onExample={onExample} />
      {isDemo(current) && <ModelChoice onChosen={onModel} onLink={onLink} />}
    </div>
  );
}
