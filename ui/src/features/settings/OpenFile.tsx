import { t } from "@lingui/core/macro";
import { useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";

/** `name`: what comes from that file. */
type Props = { folder: string | null; path: string; name: string };

/** Opens the file that something configured comes from. */
export function OpenFile({ folder, path, name }: Props) {
  const { platform } = useArki();
  const [error, setError] = useState<CommandError | null>(null);
  const open = async () => {
    setError(null);
    try {
      await platform.call("open_configured", { folder, path });
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  };
  return (
    <>
      <Button
        small
        look="quiet"
        title={path}
        aria-label={t`Open in editor: ${name}`}
        onClick={() => void open()}
      >
        {t`Open in editor`}
      </Button>
      {error && <ErrorNote error={error} />}
    </>
  );
}
