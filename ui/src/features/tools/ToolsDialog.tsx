/** Which tools the agent has in a session. A tool that is off is not offered to the model, and not carried out. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useState } from "react";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { useActs } from "../../components/useActs";
import { useAnswer } from "../../components/useAnswer";
import { useArki } from "../../platform/context";
import type { SessionToolEntry, ToolCategory } from "../../protocol/generated";
import "./tools.css";
import "../../components/checks.css";

const groups: { category: ToolCategory; title: MessageDescriptor }[] = [
  { category: "read", title: msg`Read` },
  { category: "write", title: msg`Change files` },
  { category: "exec", title: msg`Run commands` },
  { category: "network", title: msg`Use the network` },
];

export function ToolsDialog({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const { tools, error, turn } = useTools(sessionId);
  const off = tools.filter((tool) => !tool.enabled);
  const footer = (
    <>
      <span className="secondary small grow">
        {off.length === 0 ? t`All tools are on.` : t`${off.length} of ${tools.length} are off.`}
      </span>
      <Button disabled={off.length === 0} onClick={() => turn(off, true)}>
        {t`Turn all on`}
      </Button>
      <Button look="primary" onClick={onClose}>
        {t`Done`}
      </Button>
    </>
  );
  return (
    <Dialog title={t`Tools of this session`} open onClose={onClose} footer={footer} wide>
      <p className="secondary tools-lead">{t`Applies from the session's next run, and to its forks.`}</p>
      {error && <ErrorNote error={error} />}
      {groups.map(({ category, title }) => {
        const group = tools.filter((tool) => tool.category === category);
        if (group.length === 0) return null;
        return (
          <fieldset key={category} className="tools-group">
            <legend>{i18n._(title)}</legend>
            {group.map((tool) => (
              <ToolRow key={tool.name} tool={tool} onTurn={(enabled) => turn([tool], enabled)} />
            ))}
          </fieldset>
        );
      })}
    </Dialog>
  );
}

function ToolRow({ tool, onTurn }: { tool: SessionToolEntry; onTurn: (enabled: boolean) => void }) {
  return (
    <label className="tools-row">
      <input type="checkbox" checked={tool.enabled} onChange={(event) => onTurn(event.target.checked)} />
      <span className="mono">{tool.name}</span>
      <span className="small secondary" title={tool.description}>
        {tool.description.replace(/^📘 /u, "")}
      </span>
    </label>
  );
}

function useTools(sessionId: string) {
  const { platform } = useArki();
  const { answer, error: unlisted } = useAnswer("session_tools", { sessionId });
  const [switched, setSwitched] = useState<readonly SessionToolEntry[] | null>(null);
  const { error, attempt } = useActs();
  const turn = (which: readonly SessionToolEntry[], enabled: boolean) => {
    const names = which.map((tool) => tool.name);
    const [on, off] = enabled ? [names, []] : [[], names];
    void attempt(async () =>
      setSwitched(await platform.call("switch_session_tools", { sessionId, on, off })),
    );
  };
  return { tools: switched ?? answer ?? [], error: error ?? unlisted, turn };
}
