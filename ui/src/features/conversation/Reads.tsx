/** Calls that only read, in one line; open, their cards follow it. */
import { plural, t } from "@lingui/core/macro";
import { VisibleText } from "../../components/code/VisibleText";
import { Disclosure } from "../../components/Disclosure";
import { mainArgument } from "../../components/tool_words";
import { CallTime } from "./CallCard";
import type { ReadsItem } from "./rows";

/** More would be cut off in any window. */
const namedCalls = 12;

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
