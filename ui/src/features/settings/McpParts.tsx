/** What is opened below an MCP server of the list: its form, its test, its log, and how its tools changed. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { SchemaForm } from "../../components/form/EntryForm";
import { linesField } from "../../components/form/Fields";
import { TestSteps, useTest } from "../../components/keys/TestSteps";
import { useActs } from "../../components/useActs";
import { useAnswer } from "../../components/useAnswer";
import { useArki } from "../../platform/context";
import type {
  CommandError,
  McpChangedTool,
  McpServerEntry,
  McpServerSettings,
  McpTestStep,
  McpVariable,
} from "../../protocol/generated";

const words: Record<McpTestStep["step"], MessageDescriptor> = {
  start: msg`Start`,
  initialize: msg`Handshake`,
  tools: msg`Tools`,
};

type Props = { name: string; onTested: () => void; onClose: () => void };

/** Starts the server at once and shows each step; the one that fails with what the server printed. */
export function McpTest({ name, onTested, onClose }: Props) {
  const arki = useArki();
  const [asked, setAsked] = useState({ name });
  const test = useTest<McpTestStep>(
    useCallback((onStep) => arki.platform.testMcpServer(asked, onStep), [arki, asked]),
  );
  useEffect(() => {
    if (!test.running) onTested();
  }, [test.running, onTested]);
  const steps = test.steps.map(({ step, ok, ...told }) => ({
    ...told,
    title: i18n._(words[step]),
    state: ok ? ("ok" as const) : ("failed" as const),
  }));
  const trail = test.steps.at(-1)?.trail;
  return (
    <OpenedPart
      onClose={onClose}
      actions={
        <Button small disabled={test.running} onClick={() => setAsked({ name })}>
          {t`Test again`}
        </Button>
      }
    >
      <TestSteps name={name} test={{ ...test, steps }}>
        {trail && <ServerText title={t`Last output:`} text={trail} />}
      </TestSteps>
    </OpenedPart>
  );
}

/** The last of what the server printed besides the protocol. */
export function McpLog({ name, onClose }: { name: string; onClose: () => void }) {
  const { answer: log, error, reload } = useAnswer("mcp_server_log", { name });
  return (
    <OpenedPart
      onClose={onClose}
      actions={
        <Button small onClick={() => void reload()}>
          {t`Read again`}
        </Button>
      }
    >
      <section aria-label={t`Log of ${name}`}>
        {error && <ErrorNote error={error} />}
        {log === "" && <p className="secondary">{t`It has printed nothing since Arki started.`}</p>}
        {log && <ServerText text={log} />}
      </section>
    </OpenedPart>
  );
}

const changeWords: Record<McpChangedTool["change"], MessageDescriptor> = {
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
        <span className="secondary">{i18n._(changeWords[tool.change])}</span>
      </p>
      {tool.before && <ServerText title={t`− Approved`} look="before" text={tool.before} />}
      {tool.now && <ServerText title={t`+ Now`} look="now" text={tool.now} />}
    </div>
  );
}

type PartProps = { children: ReactNode; actions: ReactNode; onClose: () => void };

/** What was opened below an entry of a list: something to look at, then what can be done about it or closing it. */
function OpenedPart({ children, actions, onClose }: PartProps) {
  return (
    <div className="opened-part">
      {children}
      <div className="error-actions">
        {actions}
        <Button small look="quiet" onClick={onClose}>
          {t`Close`}
        </Button>
      </div>
    </div>
  );
}

type TextProps = { title?: string; look?: "before" | "now"; text: string };

/** What a server says of itself: as it is, with nothing hidden in it. */
function ServerText({ title, look, text }: TextProps) {
  return (
    <>
      {title && <p className="small secondary">{title}</p>}
      <pre className={`output mcp-text ${look ?? ""}`} tabIndex={0}>
        <VisibleText text={text} />
      </pre>
    </>
  );
}

/** How a value is taken from the environment. The same in every language. */
const variable = `$\{NAME}`;
// Values of their messages, in which braces would name a value themselves.
const environmentLine = `NAME=${variable}`;
const headerLine = `NAME=Bearer $\{TOKEN}`;

type FormProps = {
  server: McpServerEntry | null;
  /** Returns why it was not saved. */
  onSave: (entry: { name: string; settings: McpServerSettings }) => Promise<CommandError | null>;
  onClose: () => void;
};

export function McpForm({ server, onSave, onClose }: FormProps) {
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
