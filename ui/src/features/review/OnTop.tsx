import { t } from "@lingui/core/macro";

/** Said of a change that comes after another of the same file in one review. */
export function OnTop() {
  return (
    <span
      className="secondary small"
      title={t`If you reject the change above it, this one may no longer fit.`}
    >
      {t`on top of the change above`}
    </span>
  );
}
