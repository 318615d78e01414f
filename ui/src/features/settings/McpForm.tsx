import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import type { McpServerEntry, McpServerSettings, McpVariable } from "../../protocol/generated";
import { EntryForm } from "./EntryForm";
import { ChoiceRow, LinesRow, TextRow } from "./FormRows";
import "../../components/checks.css";

/** How a value is taken from the environment. The same in every language. */
const variable = `$\{NAME}`;
// Values of their messages, in which braces would name a value themselves.
const environmentLine = `NAME=${variable}`;
const headerLine = `NAME=Bearer $\{TOKEN}`;

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
      label={server ? t`Edit ${server.name}` : t`Add MCP server`}
      save={t`Save server`}
      onSave={save}
      onCancel={onCancel}
    >
      <TextRow
        label={t`Name`}
        value={name}
        onChange={setName}
        required
        readOnly={server !== null}
        maxLength={32}
        pattern="[A-Za-z0-9\-]+(_[A-Za-z0-9\-]+)*"
        title={t`Letters, digits, dash and single underscores`}
      />
      <ChoiceRow label={t`Kind`} value={kind} onChange={setKind}>
        <option value="program">{t`program`}</option>
        <option value="address">{t`address`}</option>
      </ChoiceRow>
      {isProgram ? (
        <>
          <TextRow
            label={t`Command`}
            mono
            value={command}
            onChange={setCommand}
            required
            placeholder={t`uvx`}
          />
          <LinesRow label={t`Arguments`} placeholder={t`One per line`} value={args} onChange={setArgs} />
          <LinesRow
            label={t`Environment`}
            placeholder={t`${environmentLine}, one per line`}
            value={env}
            onChange={setEnv}
          />
          <label className="choice">
            <Trans>
              <input
                type="checkbox"
                checked={network}
                onChange={(event) => setNetwork(event.target.checked)}
              />
              Allow network access
            </Trans>
          </label>
        </>
      ) : (
        <>
          <TextRow
            label={t`Address`}
            type="url"
            mono
            value={url}
            onChange={setUrl}
            required
            placeholder={t`https://mcp.example.com/mcp`}
          />
          <LinesRow
            label={t`Headers`}
            placeholder={t`${headerLine}, one per line`}
            value={headers}
            onChange={setHeaders}
          />
        </>
      )}
      <p className="small secondary">
        <Trans>
          <code>{variable}</code> stands for an environment variable of yours. A name alone keeps the value
          that stands in the configuration, which is not shown here.
        </Trans>
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
