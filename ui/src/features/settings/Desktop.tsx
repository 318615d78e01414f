/** How the app behaves towards the desktop, and its updates. */
import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { Button } from "../../components/Button";
import { visibleWords } from "../../components/code/invisible";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { Switch } from "../../components/Switch";
import { useActs } from "../../components/useActs";
import { useApp, useArki, useSessions } from "../../platform/context";
import { useStore } from "../../platform/stores/store";
import type { UpdateStep } from "../../platform/stores/updates";
import { isUnfinished } from "../../protocol/sessions";

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

/** `turn`: turns a setting of the configuration on or off. */
type UpdatesProps = { turn: (key: string) => (on: boolean) => Promise<unknown> };

/** Whether there is a newer version, and installing it: nothing happens that the user did not ask for. */
function Updates({ turn }: UpdatesProps) {
  const { updates } = useArki();
  const app = useApp();
  const step = useStore(updates.state);
  const works = useSessions().some((session) => isUnfinished(session.state));
  const version = app?.version ?? "";
  const found = step.at === "found" && step.update.type === "available" ? step.update : null;
  const busy = step.at === "looking" || step.at === "installing";
  const words = wordsOf(step);
  return (
    <section className="settings-section" aria-label={t`Updates`}>
      <SwitchRow
        title={t`Look for updates once a day`}
        checked={app?.looksForUpdates ?? false}
        onChange={turn("window.updates")}
      >
        {t`This is version ${version}. Updates are installed only when you say so, and only if they are signed with Arki's release key.`}
      </SwitchRow>
      <div aria-live="polite">
        {words && <p>{words}</p>}
        {found?.notes && (
          <pre className="update-notes">
            <VisibleText text={found.notes} />
          </pre>
        )}
      </div>
      {step.error && <ErrorNote error={step.error} />}
      {step.at === "installed" && works && (
        <p className="secondary">{t`Runs that are at work are stopped. You can resume them.`}</p>
      )}
      <div className="settings-actions">
        {found && (
          <Button look="primary" onClick={() => void updates.install(found.version)}>
            {t`Install ${visibleWords(found.version)}`}
          </Button>
        )}
        {step.at === "installed" ? (
          <Button look="primary" onClick={updates.restart}>
            {t`Restart Arki`}
          </Button>
        ) : (
          <Button onClick={() => void updates.look()} disabled={busy}>
            {t`Look for updates now`}
          </Button>
        )}
      </div>
    </section>
  );
}

function wordsOf(step: UpdateStep): string | null {
  switch (step.at) {
    case "unknown":
      return null;
    case "looking":
      return t`Looking…`;
    case "installing":
      return t`Version ${visibleWords(step.version)} is downloaded and installed…`;
    case "installed":
      return t`Version ${visibleWords(step.version)} is installed. It is used from the next start.`;
    case "found":
      return foundWords(step.update);
  }
}

function foundWords(update: Extract<UpdateStep, { at: "found" }>["update"]): string {
  if (update.type === "available") return t`Version ${visibleWords(update.version)} is there.`;
  return update.type === "up_to_date"
    ? t`This is the newest version.`
    : t`This build looks for no updates. Get new versions where you got this one.`;
}

type SwitchProps = {
  title: string;
  checked: boolean;
  onChange: (on: boolean) => Promise<unknown>;
  /** What being on means. */
  children?: ReactNode;
};

/** Something that is on or off, with its name as a heading. */
export function SwitchRow({ title, checked, onChange, children }: SwitchProps) {
  return (
    <>
      <div className="settings-switch">
        <h3>{title}</h3>
        <Switch label={title} checked={checked} onChange={onChange} />
      </div>
      {children && <p className="secondary">{children}</p>}
    </>
  );
}
