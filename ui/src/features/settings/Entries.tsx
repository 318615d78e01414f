/** The lists of the settings: their entries, what was removed of them, and the button or the form for a new one. */
import { Plus } from "lucide-react";
import { type ReactNode, type Ref, useCallback, useId, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { List } from "../../components/List";
import type { CommandError } from "../../protocol/generated";
import { type Removed, RemovedNote } from "./RemovedNote";
import "./entries.css";

/** What is open in a list, and what was removed last. `Open` says which entry it is, and which part of it. */
export function useEntries<Open>(first: Open | null = null) {
  const [open, setOpen] = useState<Open | null>(first);
  const [removed, setRemoved] = useState<Removed | null>(null);
  const add = useReturning();
  /** What was opened meanwhile stays. */
  const close = () => {
    add.goOn();
    setOpen((now) => (now === open ? null : now));
  };
  const forget = () => setRemoved(null);
  const undone = () => {
    forget();
    add.focus();
  };
  return { open, setOpen, close, removed, setRemoved, forget, undone, button: add.button };
}

type Props = {
  title: string;
  /** Beside the title. */
  beside?: ReactNode;
  problems: readonly (CommandError | null | undefined)[];
  lead?: ReactNode;
  /** The entries. */
  children: ReactNode;
  /** Below the entries. */
  notes?: ReactNode;
  removed?: Removed | null;
  onUndone?: () => void;
  /** The way to a new one; none before it is known what there is. */
  add?: { words: string; button?: Ref<HTMLButtonElement>; onClick: () => void } | false;
  /** In its place while it is open. */
  form?: ReactNode;
};

export function Entries({ title, beside, problems, lead, children, notes, ...rest }: Props) {
  const { removed, onUndone = () => {}, add, form } = rest;
  const id = useId();
  const heading = <h3 id={id}>{title}</h3>;
  return (
    <section className="settings-section" aria-labelledby={id}>
      {beside === undefined ? (
        heading
      ) : (
        <div className="settings-switch">
          {heading}
          {beside}
        </div>
      )}
      {problems.map((problem) => problem && <ErrorNote key={problem.message} error={problem} />)}
      {lead && <div className="secondary">{lead}</div>}
      <List className="configured">{children}</List>
      {notes}
      {removed && <RemovedNote {...removed} onUndone={onUndone} />}
      {form ||
        (add && (
          <Button ref={add.button} small icon={<Plus size={14} aria-hidden />} onClick={add.onClick}>
            {add.words}
          </Button>
        ))}
    </section>
  );
}

type LineProps = { about?: string; children: ReactNode; buttons?: ReactNode };

/** What is said of an entry, and its buttons behind that. */
export function EntryLine({ about, children, buttons }: LineProps) {
  return (
    <div className="configured-line">
      <div className="grow" id={about}>
        {children}
      </div>
      <div className="configured-buttons">{buttons}</div>
    </div>
  );
}

export function Warnings({ of = [] }: { of?: readonly string[] }) {
  return of.map((warning) => (
    <p key={warning} className="small attention">
      ! <VisibleText text={warning} />
    </p>
  ));
}

/** `label`: its accessible name, where the words alone don't say what it is about. */
type ActProps = { words: string; label?: string; about?: string; onClick: () => void };

export function Act({ words, label, about, onClick }: ActProps) {
  return (
    <Button small look="quiet" aria-label={label} aria-describedby={about} onClick={onClick}>
      {words}
    </Button>
  );
}

/** Whoever leaves a form goes on at a button, as soon as it is there. */
export function useReturning() {
  const button = useRef<HTMLButtonElement>(null);
  const goesOn = useRef(false);
  useLayoutEffect(() => {
    if (!goesOn.current || !button.current) return;
    goesOn.current = false;
    button.current.focus();
  });
  const goOn = useCallback(() => {
    goesOn.current = true;
  }, []);
  const focus = useCallback(() => button.current?.focus(), []);
  return { button, goOn, focus };
}
