import { t } from "@lingui/core/macro";
import { useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import type { CommandError } from "../../protocol/generated";

export type Removed = {
  words: string;
  /** As it was listed, in JSON; null where that isn't all of it. */
  text: string | null;
  /** Returns why it can't be brought back. */
  undo: () => Promise<CommandError | null>;
};

type Props = Removed & {
  /** It is back. */
  onUndone: () => void;
  /** Takes the focus where there is no button for it. */
  onStuck?: () => void;
};

/** Values are listed without their secrets: what has some would be saved without them. */
export const hidesSecrets = (text: string) => text.includes("[secret:") || text.includes('"(hidden)"');

/** What was removed, and adding it again unless it is only known without its secrets. */
export function RemovedNote({ words, text, undo, onUndone, onStuck }: Props) {
  const [error, setError] = useState<CommandError | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  // What had the focus is gone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useLayoutEffect(() => (button.current ? button.current.focus() : onStuck?.()), []);
  const bringBack = async () => {
    const failure = await undo();
    setError(failure);
    if (failure === null) onUndone();
  };
  return (
    <div role="status">
      {words}{" "}
      {text !== null && !hidesSecrets(text) && (
        <Button ref={button} small look="quiet" onClick={() => void bringBack()}>
          {t`Undo`}
        </Button>
      )}
      {error && <ErrorNote error={error} />}
    </div>
  );
}
