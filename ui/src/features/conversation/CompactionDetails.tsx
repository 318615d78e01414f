import { t } from "@lingui/core/macro";
import { Undo2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { DroppedMessages } from "../../components/DroppedMessages";
import { Markdown, type OnLink } from "../../components/markdown/Markdown";
import type { ContextCompaction } from "../../protocol/generated";
import type { CompactedItem } from "../../protocol/transcript";

type Props = {
  item: CompactedItem;
  /** Null where it no longer holds. */
  leftOutBy: (seq: number) => Promise<ContextCompaction | null>;
  onShow: (seq: number) => void;
  onLink: OnLink;
  /** Null where nothing may be taken back. */
  onBack: (() => void) | null;
};

/** What the model is told in place of what it no longer sees, and the way back. */
export function CompactionDetails({ item, leftOutBy, onShow, onLink, onBack }: Props) {
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
