/** Examples that fit to the folder, to begin with. */
import { t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { List } from "../../components/List";
import { useArki } from "../../platform/context";
import type { ExamplePrompt } from "../../protocol/generated";
import { exampleWords } from "./example_words";

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
