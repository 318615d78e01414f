import { t } from "@lingui/core/macro";
import { Button } from "../Button";

/** Failures whose remedy is in the settings: a missing key, an unknown provider or model. */
export const isSettingsCode = (code: string) => /KEY|PROVIDER|MODEL|AUTH|CONFIG/.test(code);

type Props = { code: string; provider: string | null; onKey: (provider: string) => void };

/** The first thing to do where the provider wants another key, or one at all. */
export function KeyButton({ code, provider, onKey }: Props) {
  const words = { KEY_MISSING: t`Set key`, KEY_REFUSED: t`Replace key` }[code];
  if (words === undefined || provider === null) return null;
  return (
    <Button small look="primary" onClick={() => onKey(provider)}>
      {words}
    </Button>
  );
}
