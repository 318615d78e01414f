import { t } from "@lingui/core/macro";
import { useState } from "react";
import { ErrorNote } from "../../components/ErrorNote";
import { Switch } from "../../components/Switch";
import { useApp, useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";
import { Updates } from "./Updates";

/** How the app behaves towards the desktop while one looks elsewhere. */
export function Desktop() {
  const arki = useArki();
  const app = useApp();
  const [error, setError] = useState<CommandError | null>(null);
  const turn = (key: string) => async (on: boolean) => {
    setError(null);
    try {
      await arki.platform.call("set_setting", { key, text: String(on) });
      await arki.refreshApp();
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  };
  return (
    <>
      <section className="settings-section" aria-label={t`Desktop`}>
        <div className="settings-switch">
          <h3>{t`Notifications`}</h3>
          <Switch
            label={t`Notifications`}
            checked={app?.notifies ?? true}
            onChange={turn("window.notifications")}
          />
        </div>
        <p className="secondary">
          {t`When a run ends or waits for you while the window isn't in front. A click leads to the session.`}
        </p>
        <div className="settings-switch">
          <h3>{t`Keep the computer awake`}</h3>
          <Switch
            label={t`Keep the computer awake`}
            checked={app?.keepsAwake ?? false}
            onChange={turn("window.keepAwake")}
          />
        </div>
        <p className="secondary">{t`While a run works. It may sleep while a run waits for you.`}</p>
        <div className="settings-switch">
          <h3>{t`Icon in the tray`}</h3>
          <Switch
            label={t`Icon in the tray`}
            checked={app?.hasTray ?? false}
            onChange={turn("window.tray")}
          />
        </div>
        <p className="secondary">
          {t`It says how many decisions wait. After the last window was closed, Arki and its runs go on, if your desktop shows such icons; otherwise Arki ends.`}
        </p>
        {error && <ErrorNote error={error} />}
      </section>
      <Updates turn={turn} />
    </>
  );
}
