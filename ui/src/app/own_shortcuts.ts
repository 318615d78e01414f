/** The shortcuts that the user chose, kept in this window and followed in the others. */
import { useEffect, useState } from "react";
import type { Choices } from "../components/command_keys";
import { recall, remember } from "../components/remembered";
import { isRecord } from "../protocol/read";

const key = "shortcuts";

export function useOwnShortcuts(): [Choices, (choices: Choices) => void] {
  const [choices, setChoices] = useState<Choices>(() => read(recall(key)));
  useEffect(() => {
    const onStorage = (event: StorageEvent) => {
      if (event.key === `arki.${key}`) setChoices(read(event.newValue));
    };
    window.addEventListener("storage", onStorage);
    return () => window.removeEventListener("storage", onStorage);
  }, []);
  return [
    choices,
    (next) => {
      remember(key, JSON.stringify(next));
      setChoices(next);
    },
  ];
}

/** What is neither keys nor null is left out; whether keys can be used is decided by `keysOf`. */
function read(stored: string | null): Choices {
  try {
    const json: unknown = JSON.parse(stored ?? "{}");
    if (!isRecord(json)) return {};
    const kept = (entry: [string, unknown]): entry is [string, string | null] =>
      entry[1] === null || typeof entry[1] === "string";
    return Object.fromEntries(Object.entries(json).filter(kept));
  } catch {
    return {};
  }
}
