import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Undo2 } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../components/Button";
import { Disclosure } from "../../components/Disclosure";
import { DroppedMessages } from "../../components/DroppedMessages";
import { exact } from "../../components/format";
import { List } from "../../components/List";
import type { CompactionStrategy, ContextCompaction } from "../../protocol/generated";

const words: Readonly<Record<CompactionStrategy, MessageDescriptor>> = {
  prune: msg`Old results left out`,
  "keep-recent": msg`Older messages left out`,
  "keep-important": msg`Older messages left out`,
  "summarize-early": msg`Older messages summarized`,
  checkpoint: msg`Older messages summarized`,
};

type Props = {
  compactions: readonly ContextCompaction[];
  onShow: (seq: number) => void;
  onBack: (seq: number) => void;
};

/** What was made shorter so far, the newest first. */
export function Compactions({ compactions, onShow, onBack }: Props) {
  return (
    <List className="compactions" aria-label={t`Compactions so far`}>
      {compactions.toReversed().map((compaction) => (
        <Compaction key={compaction.seq} compaction={compaction} onShow={onShow} onBack={onBack} />
      ))}
    </List>
  );
}

type OneProps = Omit<Props, "compactions"> & { compaction: ContextCompaction };

function Compaction({ compaction, onShow, onBack }: OneProps) {
  const { seq, strategy, tokensBefore, tokensAfter } = compaction;
  const [open, setOpen] = useState(false);
  const details = useId();
  return (
    <li>
      <div className="compaction-line">
        <Disclosure open={open} onToggle={() => setOpen(!open)} controls={details}>
          <span className="grow">
            {i18n._(words[strategy])}{" "}
            <span className="secondary">{t`${exact(tokensBefore)} → ${exact(tokensAfter)} tokens`}</span>
          </span>
        </Disclosure>
      </div>
      <div id={details} className="compaction-details" hidden={!open}>
        {open && <DroppedMessages compaction={compaction} onShow={onShow} />}
        {open && (
          <div className="compaction-actions">
            <Button small onClick={() => onShow(seq)}>{t`Show in the conversation`}</Button>
            <Button
              small
              look="quiet"
              icon={<Undo2 size={14} aria-hidden />}
              title={t`Rewind to before this, so that the model sees everything again`}
              onClick={() => onBack(seq)}
            >
              {t`Go back to before`}
            </Button>
          </div>
        )}
      </div>
    </li>
  );
}
