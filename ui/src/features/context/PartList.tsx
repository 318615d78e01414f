import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useId, useMemo, useState } from "react";
import { Button } from "../../components/Button";
import { Disclosure } from "../../components/Disclosure";
import { exact } from "../../components/format";
import { List } from "../../components/List";
import { Switch } from "../../components/Switch";
import type { ContextPart, NextRequest } from "../../protocol/generated";
import {
  type GroupKind,
  groupsOf,
  groupTitle,
  hasNameOfItsOwn,
  type PartGroup,
  partTitle,
  percent,
} from "./parts";

type Actions = {
  /** Null where there is no session yet that could be set up. */
  onSwitch: ((id: string, on: boolean) => Promise<void>) | null;
  onShow: (seq: number) => void;
};

/** As long as the session: folded until somebody looks. */
const startsFolded: ReadonlySet<GroupKind> = new Set(["messages", "results"]);
/** More of one kind than anyone reads at once. */
const firstParts = 40;
const moreParts = 200;

/** What the next request is made of: how much of the window each kind takes, then part by part. */
export function Parts({ next, ...actions }: { next: NextRequest } & Actions) {
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
      <List className="part-groups" aria-label={t`Parts of the next request`}>
        {groups.map((group) => (
          <Group key={group.kind} group={group} {...actions} />
        ))}
      </List>
    </>
  );
}

const colourOf = (kind: GroupKind) => `var(--part-${kind})`;

function Swatch({ kind }: { kind: GroupKind }) {
  return <span className="part-swatch" style={{ background: colourOf(kind) }} aria-hidden />;
}

type BarProps = { groups: readonly PartGroup[]; total: number; window: number | null };

/** What fills the model's window, each kind of part as wide as its share; without a known window, of all that is sent. */
function PartBar({ groups, total, window }: BarProps) {
  const whole = Math.max(window ?? total, total, 1);
  const filled = groups.filter((group) => group.tokens > 0);
  const words = filled.map((group) => `${groupTitle(group.kind)} ${percent(group.tokens / whole)} %`);
  const free = whole - total;
  if (free > 0) words.push(t`free ${percent(free / whole)} %`);
  return (
    <div className="part-bar" role="img" aria-label={words.join(", ")}>
      {filled.map((group) => (
        <span
          key={group.kind}
          className="part-piece"
          style={{ flexGrow: group.tokens, background: colourOf(group.kind) }}
          title={`${groupTitle(group.kind)}: ${exact(group.tokens)}`}
        />
      ))}
      {free > 0 && <span className="part-free" style={{ flexGrow: free }} />}
    </div>
  );
}

function Group({ group, ...actions }: { group: PartGroup } & Actions) {
  const [only, ...others] = group.parts;
  const isSingle = only !== undefined && others.length === 0 && !startsFolded.has(group.kind);
  return (
    <li className="part-group">
      {isSingle ? <Single kind={group.kind} part={only} {...actions} /> : <Many group={group} {...actions} />}
    </li>
  );
}

function Many({ group, ...actions }: { group: PartGroup } & Actions) {
  const [open, setOpen] = useState(!startsFolded.has(group.kind));
  const [most, setMost] = useState(firstParts);
  const list = useId();
  const shown = group.parts.slice(0, most);
  return (
    <>
      <div className="part-row">
        <Disclosure open={open} onToggle={() => setOpen(!open)} controls={list}>
          <Swatch kind={group.kind} />
          <span className="cut grow">
            <b>{groupTitle(group.kind)}</b>
            {!open && <span className="secondary"> {group.parts.length}</span>}
          </span>
        </Disclosure>
        <Figures {...group} />
      </div>
      <List id={list} hidden={!open}>
        {open &&
          shown.map((part, place) => (
            <li key={keyOf(part, place, shown)} className={part.off ? "part-row part off" : "part-row part"}>
              <Name part={part} onShow={actions.onShow} />
              <Figures {...part} />
              <PartSwitch part={part} title={partTitle(part)} onSwitch={actions.onSwitch} />
            </li>
          ))}
      </List>
      {open && group.parts.length > most && (
        <Button small look="quiet" className="part-more" onClick={() => setMost(most + moreParts)}>
          {plural(group.parts.length - most, { one: "Show # more", other: "Show # more" })}
        </Button>
      )}
    </>
  );
}

/** Of two parts with one switch the first keeps it when it is another part, so that the focus stays. */
function keyOf({ id }: ContextPart, place: number, shown: readonly ContextPart[]): string {
  const isFirst = id !== null && shown.findIndex((other) => other.id === id) === place;
  return isFirst ? id : `${place}`;
}

/** The only part of its kind has nothing to unfold. */
function Single({ kind, part, ...actions }: { kind: GroupKind; part: ContextPart } & Actions) {
  const title = groupTitle(kind);
  const own = hasNameOfItsOwn(part);
  return (
    <div className={part.off ? "part-row part-single off" : "part-row part-single"}>
      <Swatch kind={kind} />
      <span className="part-name cut grow">
        <b>{title}</b> {own && <span className="secondary">{partTitle(part)}</span>}
      </span>
      <Figures {...part} />
      <PartSwitch part={part} title={own ? partTitle(part) : title} onSwitch={actions.onSwitch} />
    </div>
  );
}

function Name({ part, onShow }: { part: ContextPart; onShow: (seq: number) => void }) {
  const { seq } = part;
  if (seq === null) {
    return (
      <span className="part-name cut grow" title={part.origin}>
        {partTitle(part)}
      </span>
    );
  }
  return (
    <button
      type="button"
      className="part-name part-link cut grow"
      title={t`Show in the conversation`}
      onClick={() => onShow(seq)}
    >
      {partTitle(part)}
    </button>
  );
}

type SwitchProps = { part: ContextPart; title: string; onSwitch: Actions["onSwitch"] };

function PartSwitch({ part: { id, off }, title, onSwitch }: SwitchProps) {
  return (
    <span className="part-switch">
      {id !== null && onSwitch && (
        <Switch label={t`Send ${title}`} checked={!off} onChange={(on) => onSwitch(id, on)} />
      )}
    </span>
  );
}

function Figures({ tokens, share, off = false }: { tokens: number; share: number; off?: boolean }) {
  if (off && tokens === 0) return <span className="part-figures secondary">{t`off`}</span>;
  return (
    <span className="part-figures">
      <span className="part-tokens">{exact(tokens)}</span>
      <span
        className="part-share small secondary"
        title={t`Of all that is sent`}
      >{t`${percent(share)} %`}</span>
    </span>
  );
}
