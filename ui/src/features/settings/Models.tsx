import { t } from "@lingui/core/macro";
import { ErrorNote } from "../../components/ErrorNote";
import { FieldRow, modelChoices } from "../../components/form/Fields";
import { useActs } from "../../components/useActs";
import { useApp, useArki, useCatalogue } from "../../platform/context";

/** The model new messages use unless another is chosen in the status bar. */
export function Models() {
  const arki = useArki();
  const app = useApp();
  const { models, error: listError } = useCatalogue();
  const { error, attempt } = useActs();
  const chosen = app?.defaultModel ?? "";
  const choose = (model: string) =>
    attempt(async () => {
      await arki.platform.call("set_default_model", { model });
      await arki.refreshApp();
    });
  const shown = error ?? listError;
  const choices = modelChoices(models);
  if (!models.some((model) => model.id === chosen)) choices.unshift([chosen, chosen || t`None chosen`]);
  return (
    <section className="settings-section" aria-label={t`Default model`}>
      <FieldRow
        field={{ key: "model", label: t`Default model`, kind: "choice", choices }}
        value={chosen}
        onChange={(model) => void choose(model)}
      />
      {shown && <ErrorNote error={shown} />}
    </section>
  );
}
