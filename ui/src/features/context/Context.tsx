/** The inspector's "Context": what the next request is made of, how full the model's window is, and what was left out. */
import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMemo } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { exact } from "../../components/format";
import type { NextRequest, Shown } from "../../protocol/generated";
import { Compactions } from "./Compactions";
import { PartBar } from "./PartBar";
import { PartList } from "./PartList";
import { groupsOf, percent } from "./parts";
import { useNextRequest } from "./useNextRequest";
import "./context.css";
import { List } from "../../components/List";

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
          <Compactions compactions={compactions} onShow={onShow} onBack={onBack} />
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

function Parts({ next, ...actions }: { next: NextRequest } & Omit<Parameters<typeof PartList>[0], "groups">) {
  const groups = useMemo(() => groupsOf(next.parts), [next.parts]);
  const canSwitch = actions.onSwitch !== null && next.parts.some((part) => part.id !== null);
  return (
    <>
      <PartBar groups={groups} total={next.totalTokens} window={next.window} />
      <p className="small secondary context-lead">
        {canSwitch ? (
          <Trans>The next request, part by part. What you switch off is left out from the next run on.</Trans>
        ) : (
          <Trans>The next request, part by part.</Trans>
        )}
      </p>
      <PartList groups={groups} {...actions} />
    </>
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
