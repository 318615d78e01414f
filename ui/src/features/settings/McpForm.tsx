import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { linesField } from "../../components/form/Fields";
import { SchemaForm } from "../../components/form/SchemaForm";
import type { CommandError, McpServerEntry, McpServerSettings, McpVariable } from "../../protocol/generated";

/** How a value is taken from the environment. The same in every language. */
const variable = `$\{NAME}`;
// Values of their messages, in which braces would name a value themselves.
const environmentLine = `NAME=${variable}`;
const headerLine = `NAME=Bearer $\{TOKEN}`;

type Props = {
  server: McpServerEntry | null;
  /** Returns why it was not saved. */
  onSave: (entry: { name: string; settings: McpServerSettings }) => Promise<CommandError | null>;
  onClose: () => void;
};

export function McpForm({ server, onSave, onClose }: Props) {
  return (
    <SchemaForm
      label={server ? t`Edit ${server.name}` : t`Add MCP server`}
      save={t`Save server`}
      first={firstOf(server)}
      fields={({ kind }) => {
        const [isProgram, isAddress] = [kind === "program", kind === "address"];
        return [
          {
            key: "name",
            label: t`Name`,
            required: true,
            readOnly: server !== null,
            maxLength: 32,
            pattern: "[A-Za-z0-9\\-]+(_[A-Za-z0-9\\-]+)*",
            title: t`Letters, digits, dash and single underscores`,
          },
          {
            key: "kind",
            label: t`Kind`,
            kind: "choice",
            choices: [
              ["program", t`program`],
              ["address", t`address`],
            ],
          },
          isProgram && {
            key: "command",
            label: t`Command`,
            kind: "code",
            required: true,
            placeholder: t`uvx`,
          },
          isProgram && linesField("args", t`Arguments`, t`One per line`),
          isProgram && linesField("env", t`Environment`, t`${environmentLine}, one per line`),
          isProgram && { key: "network", label: t`Allow network access`, kind: "check" },
          isAddress && {
            key: "url",
            label: t`Address`,
            kind: "url",
            required: true,
            placeholder: t`https://mcp.example.com/mcp`,
          },
          isAddress && linesField("headers", t`Headers`, t`${headerLine}, one per line`),
        ];
      }}
      note={
        <p className="small secondary">
          <Trans>
            <code>{variable}</code> stands for an environment variable of yours. A name alone keeps the value
            that stands in the configuration, which is not shown here.
          </Trans>
        </p>
      }
      onSave={(values) => onSave({ name: values.name.trim(), settings: settingsOf(values) })}
      onClose={onClose}
    />
  );
}

function firstOf(server: McpServerEntry | null) {
  const before = server?.settings;
  return {
    name: server?.name ?? "",
    kind: before?.url ? "address" : "program",
    command: before?.command ?? "",
    args: (before?.args ?? []).join("\n"),
    env: linesOf(before?.env ?? []),
    network: before?.network ? "true" : "",
    url: before?.url ?? "",
    headers: linesOf(before?.headers ?? []),
  };
}

function settingsOf(values: ReturnType<typeof firstOf>): McpServerSettings {
  const none = { command: null, args: [], env: [], network: false, url: null, headers: [] };
  const { kind, command, args, env, network, url, headers } = values;
  return kind === "address"
    ? { ...none, url: url.trim(), headers: variables(headers) }
    : {
        ...none,
        command: command.trim(),
        args: lines(args),
        env: variables(env),
        network: network === "true",
      };
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
