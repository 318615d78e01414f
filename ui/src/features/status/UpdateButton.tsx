import { t } from "@lingui/core/macro";
import { visibleWords } from "../../components/code/invisible";
import { useArki } from "../../platform/context";
import { useStore } from "../../platform/stores/store";

/** Only while there is a newer version. */
export function UpdateButton({ onUpdate }: { onUpdate: () => void }) {
  const step = useStore(useArki().updates.state);
  const version =
    step.at === "found"
      ? step.update.type === "available"
        ? step.update.version
        : null
      : step.at === "installed"
        ? step.version
        : null;
  if (version === null) return null;
  return (
    <button type="button" className="status-button" onClick={onUpdate}>
      {step.at === "installed" ? t`Restart to update` : t`Update to ${visibleWords(version)}`}
    </button>
  );
}
