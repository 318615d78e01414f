/** Before the first words of a session: what can be said, with examples that fit to the folder, and who answers. */
import { t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { folderName } from "../../components/format";
import { useApp, useArki, useFolder } from "../../platform/context";
import type { ExamplePrompt } from "../../protocol/generated";
import { exampleWords } from "./example_words";
import { ModelChoice } from "./parts";
import "./welcome.css";

type Props = {
  folder: string;
  /** The model that the next message goes to, where another than the default was chosen. */
  model: string | null;
  /** `all`: the words of every example. */
  onExample: (words: string, all: readonly string[]) => void;
  onTrust: () => void;
  onModel: (id: string) => void;
};

const isDemo = (model: string) => model.startsWith("demo/");

export function NewSession({ folder, model, onExample, onTrust, onModel }: Props) {
  const project = useFolder(folder);
  const app = useApp();
  const current = model ?? app?.defaultModel ?? "";
  const examples = useExamples(folder, project?.trust ?? null).map(exampleWords);
  const name = folderName(folder);
  return (
    <div className="first-words">
      <h1>{t`What should change in ${name}?`}</h1>
      {project === null || project.trust === "trusted" ? (
        <p className="secondary">
          {t`Describe it in your own words. You review each edit on the right before Arki writes it.`}
        </p>
      ) : (
        <p className="secondary">
          {t`The folder is not trusted: Arki can read it and answer, but can't edit files or run commands.`}{" "}
          <button type="button" className="link" onClick={onTrust}>
            {t`Show what trust turns on`}
          </button>
        </p>
      )}
      {examples.length > 0 && (
        <section aria-label={t`Examples`}>
          <ul className="examples">
            {examples.map((words) => (
              <li key={words}>
                <button type="button" className="example" onClick={() => onExample(words, examples)}>
                  {words}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {isDemo(current) && <ModelChoice onChosen={onModel} />}
    </div>
  );
}

/** They depend on what trust allows; where they can't be told there are none. */
function useExamples(folder: string, trust: string | null): readonly ExamplePrompt[] {
  const { platform } = useArki();
  const [told, setTold] = useState<{ folder: string; examples: readonly ExamplePrompt[] } | null>(null);
  useEffect(() => {
    if (trust === null) return;
    let isShown = true;
    platform.call("example_prompts", { folder }).then(
      (examples) => isShown && setTold({ folder, examples }),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [platform, folder, trust]);
  return told?.folder === folder ? told.examples : [];
}
