/** Where the model is shown less of the conversation from then on: how much less, what stands for it, and the way back. */
import { plural, t } from "@lingui/core/macro";
import { useId, useState } from "react";
import { Disclosure } from "../../components/Disclosure";
import { exact, exactTime } from "../../components/format";
import { lazily } from "../../components/lazily";
import type { CompactedItem } from "../../protocol/transcript";
import type { RowActions } from "./RowView";
import "./divider.css";

const CompactionDetails = lazily(() => import("./CompactionDetails").then((part) => part.CompactionDetails));

type Props = Pick<RowActions, "leftOutBy" | "onShow" | "onLink"> & {
  item: CompactedItem;
  /** Null where nothing may be taken back. */
  onBack: (() => void) | null;
};

export function Compacted({ item, ...details }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="compacted">
      <div className="divider">
        <Disclosure open={open} onToggle={() => setOpen(!open)} controls={id} className="small">
          <span title={exactTime(item.ts)}>{compactedWords(item)}</span>
        </Disclosure>
      </div>
      <div id={id} hidden={!open}>
        {open && <CompactionDetails item={item} {...details} />}
      </div>
    </div>
  );
}

function compactedWords({ strategy, tokensBefore, tokensAfter, results }: CompactedItem): string {
  const sizes = t`${exact(tokensBefore)} → ${exact(tokensAfter)} tokens`;
  switch (strategy) {
    case "prune":
      return t`${plural(results, { one: "# old result was left out", other: "# old results were left out" })}: ${sizes}`;
    case "keep-recent":
    case "keep-important":
      return t`Older messages were left out: ${sizes}`;
    case "summarize-early":
    case "checkpoint":
      return t`Older messages were summarized: ${sizes}`;
  }
}
