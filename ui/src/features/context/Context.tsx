/** The inspector's "Context": what the next request is made of, how full the model's window is, and what was left out. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Undo2 } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../components/Button";
import { Disclosure } from "../../components/Disclosure";
import { DroppedMessages } from "../../components/DroppedMessages";
import { ErrorNote } from "../../components/ErrorNote";
import { exact } from "../../components/format";
import { List } from "../../components/List";
import type { CompactionStrategy, ContextCompaction, NextRequest, Shown } from "../../protocol/generated";
import { Parts } from "./PartList";
import { percent } from "./parts";
import { useNextRequest } from "./useNextRequest";
import "./context.css";

type Props = {
  of: Shown;
  onShow: (seq: number) => void;
  /** To before the compaction with that number. */
  onBack: (seq: number) => void;
  /** Null before there is a session. */
  onCompact: (() => void) | null;
};

export function Context({ of, onShow, onBack, onCompact }: Props) {
  const { next, error, configure, refresh } = useNextRequest(of);
  if (next === null) {
    return error ? (
      <div className="empty">
        <ErrorNote error={error}>
          <Button small onClick={refresh}>{t`Try again`}</Button>
        </ErrorNote>
      </div>
    ) : (
      <p className="empty secondary">{t`Counting…`}</p>
    );
  }
  const { leftOut, compactions } = next;
  return (
    <div className="context-view">
      {error && <ErrorNote error={error} />}
      <Filled next={next} onCompact={onCompact} />
      <Parts next={next} onShow={onShow} onSwitch={of.sessionId === null ? null : configure} />
      {next.warnings.length > 0 && (
        <List className="context-warnings small attention" aria-label={t`Warnings`}>
          {next.warnings.map((warning) => (
            <li key={warning}>! {warning}</li>
          ))}
        </List>
      )}
      {compactions.length > 0 && (
        <section className="context-section" aria-labelledby="compactions-title">
          <h3 id="compactions-title">{t`Compactions`}</h3>
          {leftOut.tokens > 0 && <p className="small secondary">{leftOutWords(leftOut)}</p>}
          <List className="compactions" aria-label={t`Compactions so far`}>
            {compactions.toReversed().map((compaction) => (
              <Compaction key={compaction.seq} compaction={compaction} onShow={onShow} onBack={onBack} />
            ))}
          </List>
        </section>
      )}
    </div>
  );
}

function Filled({ next, onCompact }: { next: NextRequest; onCompact: (() => void) | null }) {
  const { totalTokens, window, model } = next;
  return (
    <header>
      <p title={countedWords(next)}>
        <span className="context-total">{exact(totalTokens)}</span>{" "}
        <span className="secondary">
          {window === null
            ? plural(totalTokens, {
                one: "token; the model's window isn't known",
                other: "tokens; the model's window isn't known",
              })
            : t`of ${exact(window)} tokens · ${percent(totalTokens / window)} % full`}
        </span>
      </p>
      <div className="context-model">
        <p className="small secondary cut grow" title={model}>
          {model}
        </p>
        {onCompact && (
          <Button small title={t`Shorten what the model sees of this conversation`} onClick={onCompact}>
            {t`Compact now…`}
          </Button>
        )}
      </div>
    </header>
  );
}

function countedWords({ totalTokens, countedTokens }: NextRequest): string {
  if (countedTokens === 0) return t`An estimate: the provider has counted none of it yet`;
  const rest = totalTokens - countedTokens;
  const counted = t`${exact(countedTokens)} counted by the provider`;
  return rest > 0 ? t`${counted}, ${exact(rest)} estimated` : counted;
}

function leftOutWords({ messages, tokens }: NextRequest["leftOut"]): string {
  const size = t`about ${exact(tokens)} tokens`;
  return messages > 0
    ? t`The model no longer sees ${plural(messages, { one: "# message", other: "# messages" })}, ${size}. The session keeps everything.`
    : t`The model no longer sees old results, ${size}. The session keeps everything.`;
}

const strategyWords: Readonly<Record<CompactionStrategy, MessageDescriptor>> = {
  prune: msg`Old results left out`,
  "keep-recent": msg`Older messages left out`,
  "keep-important": msg`Older messages left out`,
  "summarize-early": msg`Older messages summarized`,
  checkpoint: msg`Older messages summarized`,
};

type CompactionProps = Pick<Props, "onShow" | "onBack"> & { compaction: ContextCompaction };

function Compaction({ compaction, onShow, onBack }: CompactionProps) {
  const { seq, strategy, tokensBefore, tokensAfter } = compaction;
  const [open, setOpen] = useState(false);
  const details = useId();
  return (
    <li>
      <div className="compaction-line">
        <Disclosure open={open} onToggle={() => setOpen(!open)} controls={details}>
          <span className="grow">
            {i18n._(strategyWords[strategy])}{" "}
            <span className="secondary">{t`${exact(tokensBefore)} → ${exact(tokensAfter)} tokens`}</span>
          </span>
        </Disclosure>
      </div>
      <div id={details} className="compaction-details" hidden={!open}>
        {open && (
          <>
            <DroppedMessages compaction={compaction} onShow={onShow} />
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
          </>
        )}
      </div>
    </li>
  );
}
