/** Where the model is shown less of the conversation from then on: how much less, what stands for it, and the way back. */
import { plural, t } from "@lingui/core/macro";
import { Undo2 } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { Button } from "../../components/Button";
import { Disclosure } from "../../components/Disclosure";
import { DroppedMessages } from "../../components/DroppedMessages";
import { exact, exactTime } from "../../components/format";
import { Markdown } from "../../components/markdown/Markdown";
import type { ContextCompaction } from "../../protocol/generated";
import type { CompactedItem } from "../../protocol/transcript";
import type { RowActions } from "./RowView";
import "./divider.css";

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
        {open && <Details item={item} {...details} />}
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

/** What the model is told in place of what it no longer sees, and the way back. */
function Details({ item, leftOutBy, onShow, onLink, onBack }: Props) {
  const leftOut = useLeftOut(item.seq, leftOutBy);
  return (
    <div className="compacted-details">
      <p className="small secondary">
        {item.strategy === "prune"
          ? t`A short note replaces each of these results. The model can read them again, and the session keeps them all.`
          : t`The session keeps every message. The model now sees this text instead of the older ones:`}
      </p>
      {item.summary !== "" && (
        <section className="compacted-summary" aria-label={t`Summary for the model`} tabIndex={0}>
          <Markdown text={item.summary} onLink={onLink} streaming={false} />
        </section>
      )}
      {leftOut && <DroppedMessages compaction={leftOut} onShow={onShow} />}
      {onBack && (
        <Button
          small
          className="compacted-back"
          title={t`Rewind to before this, so that the model sees everything again`}
          icon={<Undo2 size={14} aria-hidden />}
          onClick={onBack}
        >
          {t`Go back to before`}
        </Button>
      )}
    </div>
  );
}

/** What can't be told is only missing here: the summary says what matters. */
function useLeftOut(seq: number, leftOutBy: Props["leftOutBy"]): ContextCompaction | null {
  const [leftOut, setLeftOut] = useState<ContextCompaction | null>(null);
  useEffect(() => {
    let current = true;
    leftOutBy(seq).then(
      (compaction) => current && setLeftOut(compaction),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [seq, leftOutBy]);
  return leftOut;
}
