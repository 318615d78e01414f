import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import type { CommandError } from "../protocol/generated";
import { Button } from "./Button";
import { coded } from "./coded";
import { copyText } from "./copy";
import { lazily } from "./lazily";

const TranslatedError = lazily(
  () => import("./TranslatedError").then((part) => part.TranslatedError),
  EngineWords,
);

type Props = { error: CommandError; onAgain?: (() => void) | false; children?: ReactNode };

/** An error where it happened: what, why, what to do next, and its details to copy. */
export function ErrorNote({ error, onAgain, children }: Props) {
  const details = `${error.code}: ${error.message}${error.hint ? `\n${error.hint}` : ""}`;
  return (
    <div className="error-note" role="alert">
      {i18n.locale === "en" ? <EngineWords error={error} /> : <TranslatedError error={error} />}
      <div className="error-actions">
        {onAgain && <Button small onClick={onAgain}>{t`Try again`}</Button>}
        {children}
        <Button small look="quiet" onClick={() => copyText(details)}>
          {t`Copy details`}
        </Button>
        <code className="code">{error.code}</code>
      </div>
    </div>
  );
}

/** An error as the engine tells it, which speaks English. */
export function EngineWords({ error }: { error: CommandError }) {
  return (
    <>
      <p>
        <span aria-hidden>✕ </span>
        {error.message}
      </p>
      {error.hint && <p className="secondary">{coded(error.hint, (part) => part)}</p>}
    </>
  );
}
