/** The model that the window sends with, where the user chose one in the message box. */
import { useEffect, useRef, useState } from "react";
import { recall, remember, unremember } from "../components/remembered";
import { useApp, useCatalogue } from "../platform/context";

const key = "model";

/**
 * Goes before the session's own model and the default one, and holds for later windows too, until another default is
 * chosen. Null where none is chosen, or its provider is gone. `chooseHere`: for this window alone.
 */
export function useChosenModel() {
  const [model, setModel] = useState(() => recall(key));
  const { models } = useCatalogue();
  const choose = (next: string | null) => {
    if (next === null) unremember(key);
    else remember(key, next);
    setModel(next);
  };
  const fallback = useApp()?.defaultModel ?? null;
  const before = useRef(fallback);
  useEffect(() => {
    // It isn't known before the engine has answered.
    if (fallback === null) return;
    if (before.current !== null && fallback !== before.current) {
      unremember(key);
      setModel(null);
    }
    before.current = fallback;
  }, [fallback]);
  const isThere = models.length === 0 || models.some((one) => providerOf(one.id) === providerOf(model ?? ""));
  return { model: isThere ? model : null, choose, chooseHere: setModel };
}

const providerOf = (model: string) => model.split("/")[0];
