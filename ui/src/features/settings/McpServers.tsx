import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { tokens } from "../../components/format";
import { List } from "../../components/List";
import { useArki } from "../../platform/context";
import { asCommandError, type Platform } from "../../platform/platform";
import type { CommandError, McpServerEntry } from "../../protocol/generated";
import { useListed } from "./listed";
import { McpChanges } from "./McpChanges";
import { McpForm } from "./McpForm";
import { McpLog } from "./McpLog";
import { McpTest } from "./McpTest";

type Part = "edit" | "test" | "changes" | "log";
type Open = { name: string; part: Part } | { name: null; part: "add" } | null;

const ask = (platform: Platform) => platform.call("list_mcp_servers", {});

/** The servers of the folder that is open, and what can be done about each. */
export function McpServers() {
  const arki = useArki();
  const { listed, error, isAnswered, reload } = useListed<"list_mcp_servers">(ask);
  const [failure, setFailure] = useState<CommandError | null>(null);
  const [open, setOpen] = useState<Open>(null);
  const attempt = async (work: () => Promise<unknown>) => {
    setFailure(null);
    const before = open;
    try {
      await work();
      // What was opened meanwhile stays.
      setOpen((now) => (now === before ? null : now));
    } catch (thrown) {
      setFailure(asCommandError(thrown));
    }
    await reload();
  };
  const close = () => {
    setOpen(null);
    void reload();
  };
  const problem = failure ?? error;
  return (
    <section className="settings-section" aria-labelledby="mcp-title">
      <h3 id="mcp-title">{t`MCP servers`}</h3>
      <p className="secondary">
        {t`MCP servers add tools. They start only in trusted folders, and their calls follow the same rules as other tools.`}
      </p>
      {problem && <ErrorNote error={problem} />}
      <List className="providers">
        {listed?.map((server) => (
          <li key={server.name} className="provider">
            <Entry
              server={server}
              isTested={open?.name === server.name && open.part === "test"}
              onOpen={(part) => setOpen({ name: server.name, part })}
              attempt={attempt}
            />
            {open?.name === server.name && (
              <Opened
                part={open.part}
                server={server}
                attempt={attempt}
                onTested={() => void reload()}
                onClose={close}
              />
            )}
          </li>
        ))}
      </List>
      {open?.part === "add" ? (
        <McpForm
          server={null}
          onCancel={() => setOpen(null)}
          onSave={(entry) => attempt(() => arki.platform.call("save_mcp_server", entry))}
        />
      ) : (
        isAnswered && (
          <Button
            small
            icon={<Plus size={14} aria-hidden />}
            onClick={() => setOpen({ name: null, part: "add" })}
          >
            {t`Add MCP server`}
          </Button>
        )
      )}
    </section>
  );
}

type Attempt = (work: () => Promise<unknown>) => Promise<void>;
type OpenedProps = {
  part: Part | "add";
  server: McpServerEntry;
  attempt: Attempt;
  onTested: () => void;
  onClose: () => void;
};

function Opened({ part, server, attempt, onTested, onClose }: OpenedProps) {
  const arki = useArki();
  switch (part) {
    case "edit":
      return (
        <McpForm
          server={server}
          onCancel={onClose}
          onSave={(entry) => attempt(() => arki.platform.call("save_mcp_server", entry))}
        />
      );
    case "test":
      return <McpTest name={server.name} onTested={onTested} onClose={onClose} />;
    case "changes":
      return <McpChanges name={server.name} onClose={onClose} />;
    case "log":
      return <McpLog name={server.name} onClose={onClose} />;
    case "add":
      return null;
  }
}

type EntryProps = {
  server: McpServerEntry;
  /** Its test is open, and tells what failed. */
  isTested: boolean;
  onOpen: (part: Part) => void;
  attempt: Attempt;
};

function Entry({ server, isTested, onOpen, attempt }: EntryProps) {
  const arki = useArki();
  const { name, state, origin, changed, refused, failure } = server;
  const about = `mcp-${name}`;
  const button = (words: string, onClick: () => void) => (
    <Button small look="quiet" aria-describedby={about} onClick={onClick}>
      {words}
    </Button>
  );
  const isOff = state === "disabled";
  const canStart = !isOff && state !== "untrusted";
  return (
    <>
      <div className="provider-line">
        <span className="grow" id={about}>
          <b>{name}</b>
          <span className="secondary"> {origin === "project" ? t`from this project` : ""}</span>
          <span className="provider-facts small secondary">
            <span className={`mcp-state ${state}`}>{i18n._(stateWords[state])}</span>
            {` · ${costWords(server)} · `}
            <code>{server.place}</code>
          </span>
        </span>
        {canStart && changed.length > 0 && button(t`Review changes`, () => onOpen("changes"))}
        {canStart && button(t`Test`, () => onOpen("test"))}
        {canStart && button(t`Log`, () => onOpen("log"))}
        {canStart &&
          server.transport === "http" &&
          button(t`Sign in`, () => attempt(() => arki.platform.call("sign_in_to_mcp_server", { name })))}
        {origin === "user" && (
          <>
            {button(t`Edit`, () => onOpen("edit"))}
            {button(isOff ? t`Switch on` : t`Switch off`, () =>
              attempt(() => arki.platform.call("enable_mcp_server", { name, enabled: isOff })),
            )}
            {button(t`Remove`, () => attempt(() => arki.platform.call("remove_mcp_server", { name })))}
          </>
        )}
      </div>
      {failure && !isTested && <ErrorNote error={failure} />}
      {changed.length > 0 && (
        <p className="small">
          <span aria-hidden>! </span>
          {plural(changed.length, {
            one: "# tool changed after you approved the server. It is off.",
            other: "# tools changed after you approved the server. They are off.",
          })}
        </p>
      )}
      {refused.map((tool) => (
        <p key={`${tool.name} ${tool.reason}`} className="small secondary">
          <Trans>
            {tool.name || t`A tool without a name`} is not offered: {tool.reason}.
          </Trans>
        </p>
      ))}
    </>
  );
}

const stateWords: Record<McpServerEntry["state"], MessageDescriptor> = {
  disabled: msg`– off`,
  untrusted: msg`! needs a trusted folder`,
  idle: msg`○ starts when needed`,
  starting: msg`◐ starting`,
  running: msg`✓ running`,
  failed: msg`✕ failed`,
};

function costWords({ state, tools, isSearched, estimatedTokens }: McpServerEntry): string {
  if (!tools) return state === "failed" ? t`tools unknown` : t`not started yet`;
  const cost = t`${tokens(estimatedTokens)} tokens`;
  const words = isSearched
    ? t`found by search, because ${cost} would be too much`
    : t`${cost} in each request`;
  return `${plural(tools.length, { one: "# tool", other: "# tools" })}, ${words}`;
}
