import { t } from "@lingui/core/macro";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { useActs } from "../../components/useActs";
import { useApp, useArki } from "../../platform/context";
import { SwitchRow } from "./Desktop";

/** Whether a model may draw conclusions from what happened, what that costs, and the way to what it proposed. */
export function Memory({ onReview }: { onReview: () => void }) {
  const arki = useArki();
  const reflects = useApp()?.reflects ?? false;
  const { error, attempt } = useActs();
  const turn = (on: boolean) =>
    attempt(async () => {
      await arki.platform.call("set_reflection", { on });
      await arki.refreshApp();
    });
  return (
    <section className="settings-section" aria-label={t`Reflection`}>
      <SwitchRow title={t`Reflection`} checked={reflects} onChange={turn} />
      <p>
        {t`After every few runs of a session, its model is asked what may be worth remembering. You review each suggestion before it is used.`}
      </p>
      <p className="secondary">{t`Each time costs one small extra request, at that model's price.`}</p>
      {error && <ErrorNote error={error} />}
      <Button small onClick={onReview}>
        {t`Review memory…`}
      </Button>
    </section>
  );
}
