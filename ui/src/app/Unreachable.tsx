/** Over the page in a browser for as long as the server doesn't answer. What the page shows stays as it was. */
import { t } from "@lingui/core/macro";
import { isReached } from "../platform/http/reach";
import { useStore } from "../platform/stores/store";
import { useLocale } from "./locale";
import "./unreachable.css";

export function Unreachable() {
  useLocale();
  const reached = useStore(isReached);
  // There from the start, so that what comes into it is read aloud.
  return (
    <div role="status">
      {!reached && (
        <p className="unreachable">
          <strong>{t`Arki can't be reached.`}</strong>{" "}
          {t`What you see may be out of date. See whether “arki serve” still runs on its computer; this page goes on by itself.`}
        </p>
      )}
    </div>
  );
}
