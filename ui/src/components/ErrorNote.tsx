import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import type { CommandError } from "../protocol/generated";
import { Button } from "./Button";
import { copyText } from "./copy";

/** An error where it happened: what, why, what to do next, and its details to copy. */
export function ErrorNote({ error, children }: { error: CommandError; children?: ReactNode }) {
  const details = `${error.code}: ${error.message}${error.hint ? `\n${error.hint}` : ""}`;
  return (
    <div className="error-note" role="alert">
      <p>
        <span aria-hidden>✕ </span>
        {error.message}
      </p>
      {error.hint && <p className="secondary">{error.hint}</p>}
      <div className="error-actions">
        {children}
        <Button small look="quiet" onClick={() => copyText(details)}>
          {t`Copy details`}
        </Button>
        <code className="code">{error.code}</code>
      </div>
    </div>
  );
}
