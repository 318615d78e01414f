/** Examples that fit to the folder, to begin with. */
import { t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { List } from "../../components/List";
import { useArki } from "../../platform/context";
import type { ExamplePrompt } from "../../protocol/generated";

type Props = {
  folder: string;
  trust: string | null;
  /** `all`: the words of every example. */
  onExample: (words: string, all: readonly string[]) => void;
};

export function Examples({ folder, trust, onExample }: Props) {
  const examples = useExamples(folder, trust).map(exampleWords);
  if (examples.length === 0) return null;
  return (
    <section aria-label={t`Examples`}>
      <List className="examples">
        {examples.map((words) => (
          <li key={words}>
            <button type="button" className="example" onClick={() => onExample(words, examples)}>
              {words}
            </button>
          </li>
        ))}
      </List>
    </section>
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

function exampleWords({ kind, path }: ExamplePrompt): string {
  const file = path ?? "";
  const words: Record<ExamplePrompt["kind"], string> = {
    explain_project: t`Explain what this project does and how it is laid out`,
    explain_file: t`Explain how ${file} works, step by step`,
    sum_up_file: t`Sum up what ${file} says`,
    list_open_tasks: t`List what is still to be done here, by what the files say`,
    find_bugs: t`Look for mistakes in ${file} and tell me the most serious one`,
    run_tests: t`Run the tests and explain what fails`,
    write_tests: t`Write tests for ${file}`,
    check_readme: t`Compare ${file} with the code and correct what is out of date`,
    write_readme: t`Write a README.md that says what this is and how to start it`,
    start_page: t`Make a small web page that shows a clock`,
    start_script: t`Write a script that renames photos by the day they were taken`,
    start_notes: t`Begin a README.md with a plan for a new project`,
  };
  return words[kind];
}
