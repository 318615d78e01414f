import { type FormEvent, useState } from "react";
import { Button } from "../../components/Button";
import { LabelledRow } from "../../components/LabelledRow";
import type { McpServerEntry, McpServerSettings, McpVariable } from "../../protocol/generated";

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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const settings: McpServerSettings = isProgram
      ? { command: command.trim(), args: lines(args), env: variables(env), network, url: null, headers: [] }
      : { command: null, args: [], env: [], network: false, url: url.trim(), headers: variables(headers) };
    void onSave({ name: name.trim(), settings });
  };
  return (
    <form
      className="provider-form"
      onSubmit={submit}
      aria-label={server ? `Edit ${server.name}` : "Add MCP server"}
    >
      <LabelledRow label="Name">
        {(id) => (
          <input
            id={id}
            className="field"
            value={name}
            required
            maxLength={32}
            readOnly={server !== null}
            pattern="[A-Za-z0-9\-]+(_[A-Za-z0-9\-]+)*"
            title="Letters, digits, dash and single underscores"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </LabelledRow>
      <LabelledRow label="Kind">
        {(id) => (
          <select id={id} className="field" value={kind} onChange={(event) => setKind(event.target.value)}>
            <option value="program">program</option>
            <option value="address">address</option>
          </select>
        )}
      </LabelledRow>
      {isProgram ? (
        <>
          <LabelledRow label="Command">
            {(id) => (
              <input
                id={id}
                className="field mono"
                value={command}
                required
                placeholder="uvx"
                onChange={(event) => setCommand(event.target.value)}
              />
            )}
          </LabelledRow>
          <Lines label="Arguments" hint="One a line" value={args} onChange={setArgs} />
          <Lines label="Environment" hint="NAME=${NAME}, one a line" value={env} onChange={setEnv} />
          <label className="choice">
            <input type="checkbox" checked={network} onChange={(event) => setNetwork(event.target.checked)} />
            May reach the network
          </label>
        </>
      ) : (
        <>
          <LabelledRow label="Address">
            {(id) => (
              <input
                id={id}
                className="field mono"
                type="url"
                value={url}
                required
                placeholder="https://mcp.example.com/mcp"
                onChange={(event) => setUrl(event.target.value)}
              />
            )}
          </LabelledRow>
          <Lines
            label="Headers"
            hint="NAME=Bearer ${TOKEN}, one a line"
            value={headers}
            onChange={setHeaders}
          />
        </>
      )}
      <p className="small secondary">
        <code>$&#123;NAME&#125;</code> stands for an environment variable of yours. A name alone keeps the
        value that stands in the configuration, which is not shown here.
      </p>
      <div className="form-buttons">
        <Button type="submit" look="primary">
          Save server
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

type LinesProps = { label: string; hint: string; value: string; onChange: (value: string) => void };

function Lines({ label, hint, value, onChange }: LinesProps) {
  return (
    <LabelledRow label={label}>
      {(id) => (
        <textarea
          id={id}
          className="field mono"
          rows={2}
          value={value}
          placeholder={hint}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </LabelledRow>
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
