import { t } from "@lingui/core/macro";
import { Button } from "../../components/Button";
import { visibleWords } from "../../components/code/invisible";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { useApp, useArki, useSessions } from "../../platform/context";
import { useStore } from "../../platform/stores/store";
import type { UpdateStep } from "../../platform/stores/updates";
import { isUnfinished } from "../../protocol/sessions";
import { SwitchRow } from "./SwitchRow";

/** `turn`: turns a setting of the configuration on or off. */
type Props = { turn: (key: string) => (on: boolean) => Promise<unknown> };

/** Whether there is a newer version, and installing it: nothing happens that the user did not ask for. */
export function Updates({ turn }: Props) {
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
