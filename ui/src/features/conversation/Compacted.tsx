/** Where the model is shown less of the conversation from then on: how much less, what stands for it, and the way back. */
import { plural, t } from "@lingui/core/macro";
import { Undo2 } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../components/Button";
import { Disclosure } from "../../components/Disclosure";
import { clock, exactTime } from "../../components/format";
import { lazily } from "../../components/lazily";
import type { CompactedItem } from "../../protocol/transcript";
import "./divider.css";

const CompactionDetails = lazily(() => import("./CompactionDetails").then((part) => part.CompactionDetails));

type Props = {
  item: CompactedItem;
  onLink: (url: string) => void;
  /** Null where nothing may be taken back. */
  onBack: (() => void) | null;
};

export function Compacted({ item, onLink, onBack }: Props) {
  const [open, setOpen] = useState(false);
  const details = useId();
  return (
    <div className="compacted">
      <div className="divider">
        <Disclosure open={open} onToggle={() => setOpen(!open)} controls={details} className="small">
          <span title={exactTime(item.ts)}>
            {compactedWords(item)} <span className="secondary">{clock(item.ts).slice(0, 5)}</span>
          </span>
        </Disclosure>
        {onBack && (
          <Button
            small
            look="quiet"
            title={t`Rewind to before this, so that the model sees everything again`}
            icon={<Undo2 size={14} aria-hidden />}
            onClick={onBack}
          >
            {t`Go back to before`}
          </Button>
        )}
      </div>
      <div id={details} hidden={!open}>
        {open && <CompactionDetails item={item} onLink={onLink} />}
      </div>
    </div>
  );
}

function compactedWords({ strategy, tokensBefore, tokensAfter, results }: CompactedItem): string {
  const sizes = t`${tokensBefore.toLocaleString()} → ${tokensAfter.toLocaleString()} tokens`;
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
