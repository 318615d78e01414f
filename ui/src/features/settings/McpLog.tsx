import { t } from "@lingui/core/macro";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { useAnswer } from "../../components/useAnswer";
import { OpenedPart } from "./OpenedPart";
import { ServerText } from "./ServerText";

/** The last of what the server printed besides the protocol. */
export function McpLog({ name, onClose }: { name: string; onClose: () => void }) {
  const { answer: log, error, reload } = useAnswer("mcp_server_log", { name });
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
