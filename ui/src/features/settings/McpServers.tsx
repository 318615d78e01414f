import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ErrorNote } from "../../components/ErrorNote";
import { tokens } from "../../components/format";
import { useActs } from "../../components/useActs";
import { useAnswer } from "../../components/useAnswer";
import { useArki } from "../../platform/context";
import { type CommandName, failureOf, type Params } from "../../platform/platform";
import type { McpServerEntry } from "../../protocol/generated";
import { Act, Entries, EntryLine, useEntries } from "./Entries";
import { McpChanges, McpForm, McpLog, McpTest } from "./McpParts";

type Part = "edit" | "test" | "changes" | "log";
type Open = { name: string; part: Part } | { name: null; part: "add" };

/** The servers of the folder that is open, and what can be done about each. */
export function McpServers() {
  const arki = useArki();
  const { answer: listed, error, isAnswered, reload } = useAnswer("list_mcp_servers", {});
  const { open, setOpen, close: leave } = useEntries<Open>();
  const { error: failure, attempt: act } = useActs();
  const attempt = async (work: () => Promise<unknown>) => {
    if (await act(work)) setOpen((now) => (now === open ? null : now));
    await reload();
  };
  const close = () => {
    leave();
    void reload();
  };
  const save = (entry: Params<"save_mcp_server">) => failureOf(arki.platform.call("save_mcp_server", entry));
  return (
    <Entries
      title={t`MCP servers`}
      problems={[failure ?? error]}
      lead={t`MCP servers add tools. They start only in trusted folders, and their calls follow the same rules as other tools.`}
      add={isAnswered && { words: t`Add MCP server`, onClick: () => setOpen({ name: null, part: "add" }) }}
      form={open?.part === "add" && <McpForm server={null} onSave={save} onClose={close} />}
    >
      {listed?.map((server) => {
        const { name } = server;
        const part = open?.name === name ? open.part : null;
        return (
          <li key={name}>
            <Entry
              server={server}
              isTested={part === "test"}
              onOpen={(part) => setOpen({ name, part })}
              attempt={attempt}
            />
            {part === "edit" && <McpForm server={server} onSave={save} onClose={close} />}
            {part === "test" && <McpTest name={name} onTested={() => void reload()} onClose={close} />}
            {part === "changes" && <McpChanges name={name} onClose={close} />}
            {part === "log" && <McpLog name={name} onClose={close} />}
          </li>
        );
      })}
    </Entries>
  );
}

type Attempt = (work: () => Promise<unknown>) => Promise<void>;
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
    <Act words={words} about={about} onClick={onClick} />
  );
  const act = <Name extends CommandName>(words: string, command: Name, params: Params<Name>) =>
    button(words, () => void attempt(() => arki.platform.call(command, params)));
  const isOff = state === "disabled";
  const canStart = !isOff && state !== "untrusted";
  return (
    <>
      <EntryLine
        about={about}
        buttons={
          <>
            {canStart && changed.length > 0 && button(t`Review changes`, () => onOpen("changes"))}
            {canStart && button(t`Test`, () => onOpen("test"))}
            {canStart && button(t`Log`, () => onOpen("log"))}
            {canStart && server.transport === "http" && act(t`Sign in`, "sign_in_to_mcp_server", { name })}
            {origin === "user" && (
              <>
                {button(t`Edit`, () => onOpen("edit"))}
                {act(isOff ? t`Switch on` : t`Switch off`, "enable_mcp_server", { name, enabled: isOff })}
                {act(t`Remove`, "remove_mcp_server", { name })}
              </>
            )}
          </>
        }
      >
        <b>{name}</b>
        <span className="secondary"> {origin === "project" ? t`from this project` : ""}</span>
        <span className="provider-facts small secondary">
          <span className={`mcp-state ${state}`}>{i18n._(stateWords[state])}</span>
          {` · ${costWords(server)} · `}
          <code>{server.place}</code>
        </span>
      </EntryLine>
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
