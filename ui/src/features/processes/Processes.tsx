/** The inspector's "Processes": the commands and MCP servers that run now, what they take, the ports they listen on, and a Stop each. */
import { plural, t } from "@lingui/core/macro";
import { useCallback, useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { CommandText } from "../../components/code/CommandText";
import { ErrorNote } from "../../components/ErrorNote";
import { bytes, duration, exactTime, homePath } from "../../components/format";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, RunningCommand } from "../../protocol/generated";
import "./processes.css";
import { List } from "../../components/List";

/** Ports open and memory grows without anyone telling. */
const POLL_MS = 1500;

export function Processes() {
  const { platform } = useArki();
  const [running, setRunning] = useState<readonly RunningCommand[] | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  const look = useCallback(async () => {
    try {
      setRunning(await platform.call("list_processes", {}));
      setError(null);
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  }, [platform]);
  useEffect(() => {
    void look();
    const timer = setInterval(() => void look(), POLL_MS);
    return () => clearInterval(timer);
  }, [look]);
  const stop = async (id: number) => {
    try {
      await platform.call("stop_process", { id });
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
    await look();
  };
  return (
    <div className="processes">
      {error && <ErrorNote error={error} />}
      {running?.length === 0 && (
        <p className="empty secondary">
          {t`Nothing is running. Running commands and MCP servers are listed here, and you can stop them.`}
        </p>
      )}
      {running && running.length > 0 && (
        <List aria-label={t`Running commands and MCP servers`}>
          {running.map((command) => (
            <Row key={command.id} command={command} onStop={() => stop(command.id)} />
          ))}
        </List>
      )}
    </div>
  );
}

function Row({ command, onStop }: { command: RunningCommand; onStop: () => Promise<void> }) {
  const [isStopping, setStopping] = useState(false);
  const what = `process-${command.id}`;
  return (
    <li className="process">
      <div className="process-head">
        <span className="grow" id={what} title={command.command}>
          {command.mcpServer !== null && (
            <span className="process-server">{t`MCP server ${command.mcpServer}`}</span>
          )}
          <code>
            <CommandText text={command.command} />
          </code>
        </span>
        <Button
          small
          label={t`Stop process`}
          aria-describedby={what}
          disabled={isStopping}
          onClick={() => {
            setStopping(true);
            void onStop().finally(() => setStopping(false));
          }}
        >
          {t`Stop`}
        </Button>
      </div>
      <p className="small secondary" title={t`Since ${exactTime(command.startedAt)}, process ${command.pid}`}>
        {facts(command).join(" · ")}
      </p>
      <p className="small">{ports(command)}</p>
    </li>
  );
}

function facts(command: RunningCommand): string[] {
  const facts = [homePath(command.directory), t`runs for ${duration(command.runningMs)}`];
  if (command.processes !== null)
    facts.push(plural(command.processes, { one: "# process", other: "# processes" }));
  if (command.memoryBytes !== null) facts.push(bytes(command.memoryBytes));
  if (command.cpuMs !== null) facts.push(t`${duration(command.cpuMs)} CPU time`);
  return facts;
}

function ports(command: RunningCommand): string {
  if (command.ports === null) return t`Its ports are unknown on this system.`;
  if (command.ports.length === 0) return t`Listens on no port.`;
  const numbers = command.ports.join(", ");
  const list = plural(command.ports.length, {
    one: `Listens on port ${numbers}`,
    other: `Listens on ports ${numbers}`,
  });
  return command.ownNetwork ? t`${list}, only inside its sandbox.` : `${list}.`;
}
