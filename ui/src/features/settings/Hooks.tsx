import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { useCallback } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import type { Platform } from "../../platform/platform";
import type { HookActionKind, HookEntry, HookEvent, HookOffReason } from "../../protocol/generated";
import { useListed } from "./listed";
import { Places } from "./Places";

const events: Readonly<Record<HookEvent, MessageDescriptor>> = {
  SessionStart: msg`when a session starts`,
  UserPromptSubmit: msg`before a prompt reaches the model`,
  PreToolUse: msg`before a call`,
  PostToolUse: msg`after a call`,
  Stop: msg`before a run completes`,
  PreCommit: msg`before a commit`,
  Notification: msg`when a run ends or waits`,
};

const actions: Readonly<Record<HookActionKind, MessageDescriptor>> = {
  command: msg`runs a command`,
  inject: msg`tells the model`,
  log: msg`writes to the log`,
  remind: msg`tells the model and the log`,
};

const reasons: Readonly<Record<HookOffReason, MessageDescriptor>> = {
  untrusted: msg`off: this folder isn't trusted`,
  configuration_changed: msg`off: the folder's configuration changed since you approved it`,
  script_changed: msg`off: a script that it names changed since you approved it`,
};

export function Hooks({ folder }: { folder: string | null }) {
  const ask = useCallback((platform: Platform) => platform.call("list_hooks", { folder }), [folder]);
  const { listed, error } = useListed<"list_hooks">(ask);
  return (
    <section className="settings-section" aria-labelledby="hooks-title">
      <h3 id="hooks-title">{t`Hooks`}</h3>
      {error && <ErrorNote error={error} />}
      {listed?.refused && <ErrorNote error={listed.refused} />}
      {listed?.hooks.length === 0 && (
        <p className="secondary">
          {t`A hook runs a command or tells the model something at a set moment, such as after each edit. Hooks stand under "hooks" in the configuration.`}
        </p>
      )}
      <ul className="configured">
        {listed?.hooks.map((hook, place) => (
          // They keep their order while they are shown, and two may be the same in everything.
          <li key={place}>
            <Hook hook={hook} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Hook({ hook }: { hook: HookEntry }) {
  const { name, event, condition, action, does, timeoutSeconds, network, origin, off } = hook;
  const facts = [
    i18n._(actions[action]),
    condition === "" ? "" : t`only for ${condition}`,
    timeoutSeconds ? plural(timeoutSeconds, { one: "at most # second", other: "at most # seconds" }) : "",
    network ? t`with network access` : "",
  ];
  return (
    <>
      <p>
        <strong>
          <VisibleText text={name} />
        </strong>{" "}
        <code>{event}</code> <span className="secondary">{i18n._(events[event])}</span>
      </p>
      {does !== name && (
        <p className="configured-does">
          <code>
            <VisibleText text={does} />
          </code>
        </p>
      )}
      <p className="small secondary">
        <VisibleText text={facts.filter(Boolean).join(" · ")} />
      </p>
      <p className="small secondary">
        {off ? <span className="attention">! {i18n._(reasons[off])}</span> : t`✓ on`}
        {" · "}
        <Places paths={[origin]} />
      </p>
    </>
  );
}
