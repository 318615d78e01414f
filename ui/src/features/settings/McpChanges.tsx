import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, McpChangedTool, McpServerEntry } from "../../protocol/generated";
import { OpenedPart } from "./OpenedPart";
import { ServerText } from "./ServerText";

const words: Record<McpChangedTool["change"], MessageDescriptor> = {
  added: msg`new`,
  changed: msg`changed`,
  removed: msg`gone`,
};

/** The tools as the server lists them now, beside what was agreed to. What is shown is what is agreed to. */
export function McpChanges({ name, onClose }: { name: string; onClose: () => void }) {
  const arki = useArki();
  const [server, setServer] = useState<McpServerEntry | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  useEffect(() => {
    let current = true;
    arki.platform.call("review_mcp_server", { name }).then(
      (entry) => current && setServer(entry),
      (thrown) => current && setError(asCommandError(thrown)),
    );
    return () => {
      current = false;
    };
  }, [arki, name]);
  const agree = async (digest: string) => {
    setError(null);
    try {
      await arki.platform.call("agree_to_mcp_server", { name, digest });
      onClose();
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  };
  return (
    <OpenedPart
      onClose={onClose}
      actions={
        server &&
        server.changed.length > 0 && (
          <Button small look="primary" onClick={() => agree(server.digest)}>
            {t`Approve these tools`}
          </Button>
        )
      }
    >
      <section className="mcp-changes" aria-label={t`Changes of ${name}`} aria-busy={!server && !error}>
        {!server && !error && <p className="secondary">{t`◐ Asking ${name} for its tools…`}</p>}
        {error && <ErrorNote error={error} />}
        {server?.changed.map((tool) => (
          <ChangedTool key={tool.name} tool={tool} />
        ))}
        {server?.changed.length === 0 && <p>{t`Its tools are the ones you approved.`}</p>}
      </section>
    </OpenedPart>
  );
}

function ChangedTool({ tool }: { tool: McpChangedTool }) {
  return (
    <div>
      <p>
        <code>
          <VisibleText text={tool.name} />
        </code>{" "}
        <span className="secondary">{i18n._(words[tool.change])}</span>
      </p>
      {tool.before && <ServerText title={t`− Approved`} look="before" text={tool.before} />}
      {tool.now && <ServerText title={t`+ Now`} look="now" text={tool.now} />}
    </div>
  );
}
