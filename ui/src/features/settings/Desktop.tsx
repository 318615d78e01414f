import { t } from "@lingui/core/macro";
import { ErrorNote } from "../../components/ErrorNote";
import { useActs } from "../../components/useActs";
import { useApp, useArki } from "../../platform/context";
import { SwitchRow } from "./SwitchRow";
import { Updates } from "./Updates";

/** How the app behaves towards the desktop while one looks elsewhere. */
export function Desktop() {
  const arki = useArki();
  const app = useApp();
  const { error, attempt } = useActs();
  const turn = (key: string) => (on: boolean) =>
    attempt(async () => {
      await arki.platform.call("set_setting", { key, text: String(on) });
      await arki.refreshApp();
    });
  return (
    <>
      <section className="settings-section" aria-label={t`Desktop`}>
        <SwitchRow
          title={t`Notifications`}
          checked={app?.notifies ?? true}
          onChange={turn("window.notifications")}
        >
          {t`When a run ends or waits for you while the window isn't in front. A click leads to the session.`}
        </SwitchRow>
        <SwitchRow
          title={t`Keep the computer awake`}
          checked={app?.keepsAwake ?? false}
          onChange={turn("window.keepAwake")}
        >
          {t`While a run works. It may sleep while a run waits for you.`}
        </SwitchRow>
        <SwitchRow title={t`Icon in the tray`} checked={app?.hasTray ?? false} onChange={turn("window.tray")}>
          {t`Shows the number of pending decisions. If your desktop shows such icons, Arki and its runs continue after you close the last window; otherwise Arki ends.`}
        </SwitchRow>
        {error && <ErrorNote error={error} />}
      </section>
      {arki.platform.can("look_for_update") && <Updates turn={turn} />}
    </>
  );
}
