import { t } from "@lingui/core/macro";
import { useCallback, useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";
import { OpenedPart } from "./OpenedPart";
import { ServerText } from "./ServerText";

/** The last of what the server printed besides the protocol. */
export function McpLog({ name, onClose }: { name: string; onClose: () => void }) {
  const arki = useArki();
  const [log, setLog] = useState<string | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  const read = useCallback(() => {
    arki.platform.call("mcp_server_log", { name }).then(setLog, (thrown) => setError(asCommandError(thrown)));
  }, [arki, name]);
  useEffect(read, [read]);
  return (
    <OpenedPart
      onClose={onClose}
      actions={
        <Button small onClick={read}>
          {t`Read again`}
        </Button>
      }
    >
      <section aria-label={t`Log of ${name}`}>
        {error && <ErrorNote error={error} />}
        {log === "" && <p className="secondary">{t`It has printed nothing since Arki started.`}</p>}
        {log && <ServerText text={log} />}
      </section>
    </OpenedPart>
  );
}
