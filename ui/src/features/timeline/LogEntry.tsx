import { type ReactNode, useId, useState } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { Disclosure } from "../../components/Disclosure";
import { clock } from "../../components/format";

type Props = {
  title: string;
  /** As it is stored. */
  kind: string;
  /** A line about it. */
  words: string;
  ts: number;
  exactTime: string;
  /** All of it; asked for once it is opened. */
  content: () => string;
  startsOpen?: boolean;
  /** What can be asked about it, below the content. */
  asked?: ReactNode;
  /** Facts and actions, below the content. */
  children: ReactNode;
};

/** A line of a log that opens. */
export function LogEntry(props: Props) {
  const { title, kind, words, ts, exactTime, content, startsOpen = false, asked = null, children } = props;
  const [open, setOpen] = useState(startsOpen);
  const body = useId();
  return (
    <div className="entry">
      <Disclosure open={open} onToggle={() => setOpen(!open)} controls={body}>
        <span className="entry-type" title={kind}>
          {title}
        </span>
        <span className="secondary cut grow" dir="auto">
          <VisibleText text={words} />
        </span>
        <span className="secondary small" title={exactTime}>
          {clock(ts)}
        </span>
      </Disclosure>
      {open && (
        <div id={body} className="entry-body">
          <pre className="output" tabIndex={0}>
            <VisibleText text={content()} />
          </pre>
          {asked}
          <p className="entry-facts small secondary">{children}</p>
        </div>
      )}
    </div>
  );
}
