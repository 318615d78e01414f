import { t } from "@lingui/core/macro";
import { useState } from "react";
import { ErrorNote } from "../../components/ErrorNote";
import { contextWords } from "../../components/format";
import { useApp, useArki, useCatalogue } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";
import { ChoiceRow } from "./FormRows";

/** The model new messages use unless another is chosen in the status bar. */
export function Models() {
  const arki = useArki();
  const app = useApp();
  const { models, error: listError } = useCatalogue();
  const [error, setError] = useState<CommandError | null>(null);
  const chosen = app?.defaultModel ?? "";
  const choose = async (model: string) => {
    setError(null);
    try {
      await arki.platform.call("set_default_model", { model });
      await arki.refreshApp();
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  };
  const shown = error ?? listError;
  return (
    <section className="settings-section" aria-label={t`Default model`}>
      <ChoiceRow label={t`Default model`} value={chosen} onChange={(model) => void choose(model)}>
        {!models.some((model) => model.id === chosen) && (
          <option value={chosen}>{chosen || t`None chosen`}</option>
        )}
        {models.map((model) => (
          <option key={model.id} value={model.id}>
            {model.id}
            {contextWords(model) && ` (${contextWords(model)})`}
          </option>
        ))}
      </ChoiceRow>
      {shown && <ErrorNote error={shown} />}
    </section>
  );
}
