import { t } from "@lingui/core/macro";
import { useCallback } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import type { Platform } from "../../platform/platform";
import type { ConfiguredAgent } from "../../protocol/generated";
import { useListed } from "./listed";
import { Places } from "./Places";

export function Agents({ folder }: { folder: string | null }) {
  const ask = useCallback((platform: Platform) => platform.call("list_agents", { folder }), [folder]);
  const { listed, error } = useListed<"list_agents">(ask);
  return (
    <section className="settings-section" aria-labelledby="agents-title">
      <h3 id="agents-title">{t`Agents`}</h3>
      <p className="secondary">
        {t`An agent has its own instructions, model and tools. Add one under "agents" in the configuration, or as a Markdown file in the folder "agents" beside it.`}
      </p>
      {error && <ErrorNote error={error} />}
      <ul className="configured">
        {listed?.agents.map((agent) => (
          <li key={agent.name}>
            <Agent agent={agent} />
          </li>
        ))}
      </ul>
      {listed?.warnings.map((warning) => (
        <p key={warning} className="small attention">
          ! <VisibleText text={warning} />
        </p>
      ))}
    </section>
  );
}

function Agent({ agent }: { agent: ConfiguredAgent }) {
  const { name, description, model, core, tools, readOnly, isolated, builtIn, origins } = agent;
  const names = tools?.join(", ") ?? "";
  const facts = [
    model,
    core,
    tools === null ? t`all tools` : tools.length === 0 ? t`no tools` : t`tools: ${names}`,
    readOnly ? t`only reads` : "",
    isolated ? t`works in a worktree of its own` : "",
  ];
  return (
    <>
      <p>
        <strong>{name}</strong>{" "}
        {description !== null && (
          <span dir="auto">
            <VisibleText text={description} />
          </span>
        )}
      </p>
      <p className="small secondary">
        <VisibleText text={facts.filter(Boolean).join(" · ")} />
      </p>
      <p className="small secondary">
        {builtIn && t`Built in`}
        {builtIn && origins.length > 0 && t`, changed in`} <Places paths={origins} />
      </p>
    </>
  );
}
