import { t } from "@lingui/core/macro";
import { Markdown } from "../../components/markdown/Markdown";
import type { CompactedItem } from "../../protocol/transcript";

/** What the model is told in place of what it no longer sees. */
export function CompactionDetails({ item, onLink }: { item: CompactedItem; onLink: (url: string) => void }) {
  return (
    <div className="compacted-details">
      <p className="small secondary">
        {item.strategy === "prune"
          ? t`A short note stands for each of these results. The model can read a result again when it needs it, and the session keeps all of them.`
          : t`The session keeps every message. The model now sees this text instead of the older ones:`}
      </p>
      {item.summary !== "" && (
        <section className="compacted-summary" aria-label={t`Summary for the model`}>
          <Markdown text={item.summary} onLink={onLink} streaming={false} />
        </section>
      )}
    </div>
  );
}
