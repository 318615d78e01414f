import { t } from "@lingui/core/macro";
import { useCallback } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import type { Platform } from "../../platform/platform";
import { useListed } from "./listed";
import { OpenedPart } from "./OpenedPart";
import { ServerText } from "./ServerText";

/** The last of what the server printed besides the protocol. */
export function McpLog({ name, onClose }: { name: string; onClose: () => void }) {
  const ask = useCallback((platform: Platform) => platform.call("mcp_server_log", { name }), [name]);
  const { listed: log, error, reload } = useListed<"mcp_server_log">(ask);
  return (
    <OpenedPart
      onClose={onClose}
      actions={
        <Button small onClick={() => void reload()}>
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
