import { t } from "@lingui/core/macro";
import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import type { CommandError, SettingChange } from "../../protocol/generated";
import type { Change } from "./use_settings";

type Props = {
  words: string;
  /** The change that brings it back. */
  again: SettingChange;
  onChange: Change;
  onUndone: () => void;
};

/** Values are listed without their secrets: what has some would be saved without them. */
export const hidesSecrets = (text: string) => text.includes("[secret:") || text.includes('"(hidden)"');

/** What is listed without its secrets can't be added again from here. */
export function RemovedNote({ words, again, onChange, onUndone }: Props) {
  const [error, setError] = useState<CommandError | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  // What had the focus is gone.
  useLayoutEffect(() => button.current?.focus(), []);
  const undo = async () => {
    const failure = await onChange([again]);
    setError(failure);
    if (failure === null) onUndone();
  };
  return (
    <div role="status">
      {words}{" "}
      {!hidesSecrets(again.text ?? "") && (
        <Button ref={button} small look="quiet" onClick={() => void undo()}>
          {t`Undo`}
        </Button>
      )}
      {error && <ErrorNote error={error} />}
    </div>
  );
}

/** Whoever leaves a form goes on at a button, as soon as it is there. */
export function useReturning() {
  const button = useRef<HTMLButtonElement>(null);
  const goesOn = useRef(false);
  useLayoutEffect(() => {
    if (!goesOn.current || !button.current) return;
    goesOn.current = false;
    button.current.focus();
  });
  const goOn = useCallback(() => {
    goesOn.current = true;
  }, []);
  const focus = useCallback(() => button.current?.focus(), []);
  return { button, goOn, focus };
}
