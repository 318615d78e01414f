import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { useActs } from "../../components/useActs";
import { useAnswer } from "../../components/useAnswer";
import { useArki } from "../../platform/context";
import type { McpChangedTool } from "../../protocol/generated";
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
  const { answer: server, error } = useAnswer("review_mcp_server", { name });
  const { error: failure, attempt } = useActs();
  const problem = failure ?? error;
  const agree = async (digest: string) => {
    if (await attempt(() => arki.platform.call("agree_to_mcp_server", { name, digest }))) onClose();
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
      <section className="mcp-changes" aria-label={t`Changes of ${name}`} aria-busy={!server && !problem}>
        {!server && !problem && <p className="secondary">{t`◐ Asking ${name} for its tools…`}</p>}
        {problem && <ErrorNote error={problem} />}
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
