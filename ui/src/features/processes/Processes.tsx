/** The inspector's "Processes": the commands and MCP servers that run now, what they take, the ports they listen on, and a Stop each. */
import { useCallback, useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { CommandText } from "../../components/code/CommandText";
import { ErrorNote } from "../../components/ErrorNote";
import { bytes, duration, exactTime, homePath, plural } from "../../components/format";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, RunningCommand } from "../../protocol/generated";
import "./processes.css";

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
          No command runs. While one does, or an MCP server, it is listed here with a way to stop it.
        </p>
      )}
      {running && running.length > 0 && (
        <ul aria-label="Running commands and MCP servers">
          {running.map((command) => (
            <Row key={command.id} command={command} onStop={() => stop(command.id)} />
          ))}
        </ul>
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
            <span className="process-server">MCP server {command.mcpServer}</span>
          )}
          <code>
            <CommandText text={command.command} />
          </code>
        </span>
        <Button
          small
          label="Stop process"
          aria-describedby={what}
          disabled={isStopping}
          onClick={() => {
            setStopping(true);
            void onStop().finally(() => setStopping(false));
          }}
        >
          Stop
        </Button>
      </div>
      <p className="small secondary" title={`Since ${exactTime(command.startedAt)}, process ${command.pid}`}>
        {facts(command).join(" · ")}
      </p>
      <p className="small">{ports(command)}</p>
    </li>
  );
}

function facts(command: RunningCommand): string[] {
  const facts = [homePath(command.directory), `runs for ${duration(command.runningMs)}`];
  if (command.processes !== null) facts.push(plural(command.processes, "process", "processes"));
  if (command.memoryBytes !== null) facts.push(bytes(command.memoryBytes));
  if (command.cpuMs !== null) facts.push(`${duration(command.cpuMs)} of processor`);
  return facts;
}

function ports(command: RunningCommand): string {
  if (command.ports === null) return "Which ports it listens on is not known on this system.";
  if (command.ports.length === 0) return "Listens on no port.";
  const list = `Listens on ${command.ports.length === 1 ? "port" : "ports"} ${command.ports.join(", ")}`;
  return command.ownNetwork ? `${list}, inside its sandbox only.` : `${list}.`;
}
