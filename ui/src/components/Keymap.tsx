/** Every shortcut there is, by the place where it works. Those that work everywhere can be changed. */
import { plural, t } from "@lingui/core/macro";
import { type ReactNode, useContext, useId, useRef, useState } from "react";
import { Button } from "./Button";
import { type Binding, ShortcutsContext, usualKeys } from "./command_keys";
import { Disclosure } from "./Disclosure";
import { localKeys } from "./keymap_keys";
import { type Rebinding, useRebinding } from "./rebinding";
import { showShortcut } from "./shortcuts";
import "./keymap.css";

export function Keymap() {
  const groups = groupsOf(localKeys(), (one) => (
    <div key={one.title}>
      <dt>{one.title}</dt>
      <dd>
        {one.keys.split(" ").map((key) => (
          <kbd key={key}>{showShortcut(key)}</kbd>
        ))}
      </dd>
    </div>
  ));
  return (
    <>
      <EveryCommand title={t`Everywhere`} />
      <KeymapColumns groups={groups} heading="h3" />
    </>
  );
}

type KeymapGroup = { title: string; rows: readonly ReactNode[] };

type ColumnsProps = { groups: readonly KeymapGroup[]; heading: "h3" | "h4" };

/**
 * Groups of keys in two columns, each read from top to bottom; in one where there is no room for two. No group is
 * broken, and none changes its column while one of its rows says something.
 */
function KeymapColumns({ groups, heading: Heading }: ColumnsProps) {
  const all = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const columns: KeymapGroup[][] = [[], []];
  let before = 0;
  for (const group of groups) {
    columns[before + group.rows.length / 2 <= all / 2 ? 0 : 1]?.push(group);
    before += group.rows.length;
  }
  return (
    <div className="keymap">
      {columns.map((column) => (
        <div key={column[0]?.title}>
          {column.map(({ title, rows }) => (
            <section key={title}>
              <Heading>{title}</Heading>
              <dl>{rows}</dl>
            </section>
          ))}
        </div>
      ))}
    </div>
  );
}

/** By their sections, in the order in which these come first. */
function groupsOf<One extends { section: string }>(all: readonly One[], row: (one: One) => ReactNode) {
  const titles = [...new Set(all.map(({ section }) => section))];
  return titles.map((title) => ({ title, rows: all.filter(({ section }) => section === title).map(row) }));
}

/** The commands with their shortcuts, each to be changed; those without one are folded away. */
function EveryCommand({ title }: { title: string }) {
  const { bindings } = useContext(ShortcutsContext);
  const rebinding = useRebinding();
  const [open, setOpen] = useState(false);
  const rest = useId();
  // As it was when the map was opened: what is changed keeps its place, and the focus.
  const [listed] = useState<ReadonlySet<string>>(() => new Set(Object.keys(rebinding.keys)));
  const isListed = (one: Binding) => listed.has(one.id) || one.id in usualKeys;
  const without = bindings.filter((one) => !isListed(one));
  const rows = (of: readonly Binding[]) => (
    <KeymapColumns
      groups={groupsOf(of, (one) => <Row key={one.id} binding={one} rebinding={rebinding} />)}
      heading="h4"
    />
  );
  return (
    <section className="keymap-commands">
      <h3>{title}</h3>
      <p className="sr-only" role="status">
        {rebinding.said}
      </p>
      {rows(bindings.filter(isListed))}
      {without.length > 0 && (
        <>
          <Disclosure open={open} onToggle={() => setOpen(!open)} controls={rest}>
            {plural(without.length, {
              one: "# command without a shortcut",
              other: "# commands without a shortcut",
            })}
          </Disclosure>
          <div id={rest}>{open && rows(without)}</div>
        </>
      )}
      {/* Last: what has the focus first when the map opens takes nothing back. */}
      {bindings.some(rebinding.isOwn) && (
        <Button small look="quiet" label={t`Reset all shortcuts`} onClick={rebinding.resetAll}>
          {t`Reset all`}
        </Button>
      )}
    </section>
  );
}

function Row({ binding, rebinding }: { binding: Binding; rebinding: Rebinding }) {
  const { title, id } = binding;
  const change = useRef<HTMLButtonElement>(null);
  const keys = rebinding.keys[id];
  const turn = rebinding.turnOf(binding);
  const awaited = rebinding.isAwaited(binding);
  /** What was pressed is gone afterwards: the focus stays with the command. */
  const then = (act: () => void) => () => {
    act();
    change.current?.focus();
  };
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {keys ? <kbd>{showShortcut(keys)}</kbd> : <span className="secondary">–</span>}
        <Button
          ref={change}
          small
          look={awaited ? "plain" : "quiet"}
          label={t`Change the shortcut of ${title}`}
          aria-pressed={awaited}
          onClick={() => rebinding.change(binding)}
          onBlur={() => rebinding.cancel(binding)}
        >
          {awaited ? t`Press keys…` : t`Change`}
        </Button>
        {rebinding.isOwn(binding) && (
          <Button
            small
            look="quiet"
            label={t`Reset the shortcut of ${title}`}
            onClick={then(() => rebinding.reset(binding))}
          >
            {t`Reset`}
          </Button>
        )}
      </dd>
      {turn && (
        <dd className="keymap-note small">
          <span className={awaited ? "secondary" : undefined}>{turn.words}</span>
          {turn.offer && (
            <>
              <Button small onClick={then(() => rebinding.take(binding))}>
                {t`Use it here`}
              </Button>
              <Button small look="quiet" onClick={then(rebinding.keep)}>
                {t`Cancel`}
              </Button>
            </>
          )}
        </dd>
      )}
    </div>
  );
}
