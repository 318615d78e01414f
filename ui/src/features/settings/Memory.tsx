import { t } from "@lingui/core/macro";
import { useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { Switch } from "../../components/Switch";
import { useApp, useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";

/** Whether a model may draw conclusions from what happened, what that costs, and the way to what it proposed. */
export function Memory({ onReview }: { onReview: () => void }) {
  const arki = useArki();
  const reflects = useApp()?.reflects ?? false;
  const [error, setError] = useState<CommandError | null>(null);
  const turn = async (on: boolean) => {
    setError(null);
    try {
      await arki.platform.call("set_reflection", { on });
      await arki.refreshApp();
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  };
  return (
    <section className="settings-section" aria-labelledby="reflection-title">
      <div className="settings-switch">
        <h3 id="reflection-title">{t`Reflection`}</h3>
        <Switch label={t`Reflection`} checked={reflects} onChange={turn} />
      </div>
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
