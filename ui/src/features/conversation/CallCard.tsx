/** What every call looks like: a line that tells what it is and how it stands, and behind it what came of it; those that only read share one line. */
import type { MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { type ReactNode, useId, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { Disclosure } from "../../components/Disclosure";
import { duration } from "../../components/format";
import { lazily } from "../../components/lazily";
import { ReasonText } from "../../components/reason/ReasonText";
import { mainArgument } from "../../components/tool_words";
import { hasFailed } from "../../protocol/hooks";
import type { ToolItem, ToolState } from "../../protocol/transcript";
import type { ReadsItem } from "./rows";

const FoldedHooks = lazily(() => import("./HookNotes").then((part) => part.FoldedHooks));
const OpenHooks = lazily(() => import("./HookNotes").then((part) => part.OpenHooks));

export type Standing = ToolState | "paused";

export const standingWords: Readonly<Record<Standing, MessageDescriptor>> = {
  queued: msg`○ waiting its turn`,
  running: msg`◐ running`,
  waiting: msg`! waiting for you`,
  paused: msg`‖ paused`,
  done: msg`✓ done`,
  failed: msg`✕ failed`,
  rejected: msg`✕ rejected`,
  denied: msg`✕ denied`,
  interrupted: msg`– not finished`,
};

type Props = {
  item: ToolItem;
  standing: Standing;
  /** In words, with its sign. */
  words: string;
  /** What the line says besides the tool's name, closed and open. */
  title: (open: boolean) => ReactNode;
  /** Buttons at the end of the line. */
  actions?: ReactNode;
  /** What is below the line while the rest is hidden. */
  closed?: ReactNode;
  /** What was asked for. */
  asked: ReactNode;
  /** What came of it. */
  children: ReactNode;
  onReview: () => void;
};

export function CallCard(props: Props) {
  const { item, standing, words } = props;
  const [open, setOpen] = useState(false);
  const body = useId();
  // A denial gives the objection as its reason already.
  const untold = standing === "denied" ? item.hooks.filter(hasFailed) : item.hooks;
  // One file is mostly what the line is about.
  const files = changedPaths(item);
  const [file, another] = files;
  const isSaid = file === undefined || (another === undefined && mainArgument(item.args) === file);
  return (
    <div className={`tool tool-${standing}`}>
      <div className="tool-line">
        <Disclosure open={open} onToggle={() => setOpen(!open)} controls={body}>
          <code className="tool-name">{item.toolId}</code>
          {props.title(open)}
          {words !== "" && <span className="tool-state small cut">{words}</span>}
          <CallTime ms={item.durationMs ?? 0} />
        </Disclosure>
        {standing === "waiting" && (
          <Button small onClick={props.onReview} title={t`Review`} command="inbox">
            {t`Review`}
          </Button>
        )}
        {props.actions}
      </div>
      {!open && props.closed}
      {!open && untold.length > 0 && <FoldedHooks hooks={untold} />}
      {open && (
        <div id={body} className="tool-body">
          {props.asked}
          {item.reason && (
            <p className="small">
              <span className="secondary">{t`Policy: `}</span>
              <ReasonText reason={item.reason} sentences={item.sentences} />
            </p>
          )}
          {!isSaid && (
            <p className="small">
              <span className="secondary">
                {t`Changed ${plural(files.length, { one: "# file", other: "# files" })}: `}
              </span>
              <code>{files.join(", ")}</code>
            </p>
          )}
          {props.children}
          {item.hooks.length > 0 && <OpenHooks hooks={item.hooks} />}
        </div>
      )}
    </div>
  );
}

/** Text as it came, which the keyboard can scroll. */
export function Pre({ label, children }: { label: string; children: ReactNode }) {
  return (
    <pre className="output" tabIndex={0} role="group" aria-label={label}>
      {children}
    </pre>
  );
}

/** How long calls took; nothing where it was no time worth telling. */
export function CallTime({ ms }: { ms: number }) {
  if (ms < 1) return null;
  return (
    <span className="tool-time small secondary" title={t`${ms} ms`}>
      {duration(ms)}
    </span>
  );
}

/** The files that a call changed, by where they are now: one that was moved is one file. */
export function changedPaths({ category, changes }: Pick<ToolItem, "category" | "changes">): string[] {
  const made = new Set(changes.filter(({ beforeHash }) => beforeHash === null).map((one) => one.afterHash));
  // The hunks of a move are those of its new place. Of what a command did, only the content tells.
  const stays = changes.filter(
    ({ beforeHash, afterHash, hunks }) =>
      afterHash !== null ||
      !(made.has(beforeHash) || (category === "write" && made.size > 0 && hunks.length === 0)),
  );
  return [...new Set(stays.map(({ path }) => path))];
}

/** More would be cut off in any window. */
const namedCalls = 12;

/** Calls that only read, in one line; open, their cards follow it. */
export function Reads({ item: { calls, open }, onToggle }: { item: ReadsItem; onToggle: () => void }) {
  const failed = calls.filter((call) => call.state === "failed").length;
  const took = calls.reduce((sum, call) => sum + (call.durationMs ?? 0), 0);
  const names = new Set(calls.slice(0, namedCalls).map((call) => mainArgument(call.args)));
  return (
    <div className="tool">
      <div className="tool-line">
        <Disclosure open={open} onToggle={onToggle}>
          <span className="reads-count">{t`${plural(calls.length, { one: "# read", other: "# reads" })}`}</span>
          <code className="tool-main cut grow">
            <VisibleText text={[...names].filter((name) => name !== "").join(", ")} />
          </code>
          {failed > 0 && <span className="reads-failed small">{t`✕ ${failed} failed`}</span>}
          <CallTime ms={took} />
        </Disclosure>
      </div>
    </div>
  );
}
