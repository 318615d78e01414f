import { ChevronRight } from "lucide-react";
import type { CSSProperties, ReactNode, Ref } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { barsOf, type Row, type Scale } from "./layout";
import { besideOf, factsOf, nameOf, timeOf } from "./span_words";

type Props = {
  id: string;
  row: Row;
  scale: Scale;
  active: boolean;
  onToggle: () => void;
  onOpen: () => void;
};

const signs = { done: "", error: "✕", running: "◐", cut: "", lost: "?" } as const;

/** A span: its name, and its bar on the scale. The tree has the focus and hears the keys. */
export function WaterfallRow({ id, row, scale, active, onToggle, onOpen }: Props) {
  const { span, level, place, siblings, open } = row;
  const name = nameOf(span);
  const facts = factsOf(span);
  const beside = besideOf(span);
  const sign = signs[span.end];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree hears the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the active row
    <div
      id={id}
      role="treeitem"
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-expanded={open ?? undefined}
      aria-selected={active}
      className={`span-row span-${span.kind}`}
      onClick={onOpen}
    >
      <span className="span-name" style={{ paddingInlineStart: `calc(var(--s2) * ${level - 1})` }}>
        {/* The arrow keys do the same. */}
        <span
          className="span-fold"
          aria-hidden
          onClick={(event) => {
            if (open === null) return;
            event.stopPropagation();
            onToggle();
          }}
        >
          {open !== null && <ChevronRight size={14} className={open ? "open" : ""} />}
        </span>
        <span className="cut" dir="auto">
          <VisibleText text={name} />
        </span>
        {sign !== "" && (
          <span className={`span-sign span-${span.end}`} aria-hidden>
            {sign}
          </span>
        )}
        {beside !== "" && (
          <span className="span-beside cut small secondary" dir="auto" aria-hidden>
            <VisibleText text={beside} />
          </span>
        )}
        <span className="span-time small secondary" aria-hidden>
          {timeOf(span)}
        </span>
        <span className="sr-only">, {facts.join(", ")}</span>
      </span>
      <span className="span-track" title={[name, ...facts].join("\n")} aria-hidden>
        {barsOf(scale, span).map(({ left, width, look }) => (
          <span
            key={`${look} ${left}`}
            className={`span-bar ${look} ${span.end}`}
            style={{ insetInlineStart: `${left}%`, width: `${width}%` }}
          />
        ))}
      </span>
    </div>
  );
}

type BareProps = { style: CSSProperties; children: ReactNode; ref?: Ref<HTMLDivElement> };

/** What a virtual list has between itself and its rows. WebKit takes a tree with anything else in it for none. */
export function Bare({ style, children, ref }: BareProps) {
  return (
    <div ref={ref} role="presentation" style={style}>
      {children}
    </div>
  );
}
