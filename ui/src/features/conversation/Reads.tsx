import { plural, t } from "@lingui/core/macro";
import { Disclosure } from "../../components/Disclosure";
import type { ReadsItem } from "./routine";

/** One line for several calls that only read. */
export function Reads({ item, onToggle }: { item: ReadsItem; onToggle: () => void }) {
  const reads = plural(item.calls, { one: "# read", other: "# reads" });
  return (
    <div className="tool tool-line">
      <Disclosure open={item.open} onToggle={onToggle}>
        <span className="reads-count">
          {reads}
          {item.failed > 0 && (
            <>
              , <span className="reads-failed">{t`${item.failed} failed`}</span>
            </>
          )}
        </span>{" "}
        <code className="tool-main cut grow">{item.tools.join(", ")}</code>
      </Disclosure>
    </div>
  );
}
