import { useState } from "react";
import type { McpServerEntry, McpServerSettings, McpVariable } from "../../protocol/generated";
import { EntryForm } from "./EntryForm";
import { ChoiceRow, LinesRow, TextRow } from "./FormRows";

type Props = {
  server: McpServerEntry | null;
  onSave: (entry: { name: string; settings: McpServerSettings }) => Promise<void>;
  onCancel: () => void;
};

export function McpForm({ server, onSave, onCancel }: Props) {
  const before = server?.settings;
  const [name, setName] = useState(server?.name ?? "");
  const [kind, setKind] = useState(before?.url ? "address" : "program");
  const [command, setCommand] = useState(before?.command ?? "");
  const [args, setArgs] = useState((before?.args ?? []).join("\n"));
  const [env, setEnv] = useState(linesOf(before?.env ?? []));
  const [network, setNetwork] = useState(before?.network ?? false);
  const [url, setUrl] = useState(before?.url ?? "");
  const [headers, setHeaders] = useState(linesOf(before?.headers ?? []));
  const isProgram = kind === "program";
  const save = () => {
    const settings: McpServerSettings = isProgram
      ? { command: command.trim(), args: lines(args), env: variables(env), network, url: null, headers: [] }
      : { command: null, args: [], env: [], network: false, url: url.trim(), headers: variables(headers) };
    void onSave({ name: name.trim(), settings });
  };
  return (
    <EntryForm
      label={server ? `Edit ${server.name}` : "Add MCP server"}
      save="Save server"
      onSave={save}
      onCancel={onCancel}
    >
      <TextRow
        label="Name"
        value={name}
        onChange={setName}
        required
        readOnly={server !== null}
        maxLength={32}
        pattern="[A-Za-z0-9\-]+(_[A-Za-z0-9\-]+)*"
        title="Letters, digits, dash and single underscores"
      />
      <ChoiceRow label="Kind" value={kind} onChange={setKind}>
        <option value="program">program</option>
        <option value="address">address</option>
      </ChoiceRow>
      {isProgram ? (
        <>
          <TextRow label="Command" mono value={command} onChange={setCommand} required placeholder="uvx" />
          <LinesRow label="Arguments" placeholder="One a line" value={args} onChange={setArgs} />
          <LinesRow
            label="Environment"
            placeholder="NAME=${NAME}, one a line"
            value={env}
            onChange={setEnv}
          />
          <label className="choice">
            <input type="checkbox" checked={network} onChange={(event) => setNetwork(event.target.checked)} />
            May reach the network
          </label>
        </>
      ) : (
        <>
          <TextRow
            label="Address"
            type="url"
            mono
            value={url}
            onChange={setUrl}
            required
            placeholder="https://mcp.example.com/mcp"
          />
          <LinesRow
            label="Headers"
            placeholder="NAME=Bearer ${TOKEN}, one a line"
            value={headers}
            onChange={setHeaders}
          />
        </>
      )}
      <p className="small secondary">
        <code>$&#123;NAME&#125;</code> stands for an environment variable of yours. A name alone keeps the
        value that stands in the configuration, which is not shown here.
      </p>
    </EntryForm>
  );
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

function linesOf(variables: readonly McpVariable[]): string {
  return variables.map(({ name, value }) => (value === null ? name : `${name}=${value}`)).join("\n");
}

function variables(text: string): McpVariable[] {
  return lines(text).map((line) => {
    const at = line.indexOf("=");
    return at < 0
      ? { name: line.trim(), value: null }
      : { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() };
  });
}
