import { useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, McpChangedTool, McpServerEntry } from "../../protocol/generated";

const words: Record<McpChangedTool["change"], string> = { added: "new", changed: "changed", removed: "gone" };

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
    <section className="mcp-part" aria-label={`Changes of ${name}`} aria-busy={!server && !error}>
      {!server && !error && <p className="secondary">◐ Asking {name} for its tools…</p>}
      {error && <ErrorNote error={error} />}
      {server?.changed.map((tool) => (
        <div key={tool.name}>
          <p>
            <code>
              <VisibleText text={tool.name} />
            </code>{" "}
            <span className="secondary">{words[tool.change]}</span>
          </p>
          {tool.before && <Told look="before" title="Agreed to" text={tool.before} />}
          {tool.now && <Told look="now" title="Now" text={tool.now} />}
        </div>
      ))}
      {server?.changed.length === 0 && <p>Its tools are those you agreed to.</p>}
      <div className="error-actions">
        {server && server.changed.length > 0 && (
          <Button small look="primary" onClick={() => agree(server.digest)}>
            Agree to these tools
          </Button>
        )}
        <Button small look="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
    </section>
  );
}

function Told({ look, title, text }: { look: "before" | "now"; title: string; text: string }) {
  return (
    <>
      <p className="small secondary">
        {look === "before" ? "−" : "+"} {title}
      </p>
      <pre className={`mcp-text ${look}`} tabIndex={0}>
        <VisibleText text={text} />
      </pre>
    </>
  );
}
