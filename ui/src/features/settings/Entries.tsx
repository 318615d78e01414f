/** The lists of the settings: their entries with the files they come from, what was removed, and the way to a new one. */
import { t } from "@lingui/core/macro";
import { Plus } from "lucide-react";
import { type ReactNode, type Ref, useCallback, useId, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { homePath } from "../../components/format";
import { List } from "../../components/List";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import type { CommandError } from "../../protocol/generated";
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

export type Removed = {
  words: string;
  /** As it was listed, in JSON; null where that isn't all of it. */
  text: string | null;
  /** Returns why it can't be brought back. */
  undo: () => Promise<CommandError | null>;
};

type NoteProps = Removed & {
  /** It is back. */
  onUndone: () => void;
  /** Takes the focus where there is no button for it. */
  onStuck?: () => void;
};

/** Values are listed without their secrets: what has some would be saved without them. */
export const hidesSecrets = (text: string) => text.includes("[secret:") || text.includes('"(hidden)"');

/** What was removed, and adding it again unless it is only known without its secrets. */
export function RemovedNote({ words, text, undo, onUndone, onStuck }: NoteProps) {
  const [error, setError] = useState<CommandError | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  // What had the focus is gone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useLayoutEffect(() => (button.current ? button.current.focus() : onStuck?.()), []);
  const bringBack = async () => {
    const failure = await undo();
    setError(failure);
    if (failure === null) onUndone();
  };
  return (
    <div role="status">
      {words}{" "}
      {text !== null && !hidesSecrets(text) && (
        <Button ref={button} small look="quiet" onClick={() => void bringBack()}>
          {t`Undo`}
        </Button>
      )}
      {error && <ErrorNote error={error} />}
    </div>
  );
}

/** `name`: what comes from that file. */
type FileProps = { folder: string | null; path: string; name: string };

/** Opens the file that something configured comes from. */
export function OpenFile({ folder, path, name }: FileProps) {
  const { platform } = useArki();
  const { error, attempt } = useActs();
  if (!platform.can("open_configured")) return null;
  const open = () => attempt(() => platform.call("open_configured", { folder, path }));
  return (
    <>
      <Button
        small
        look="quiet"
        title={path}
        aria-label={t`Open in editor: ${name}`}
        onClick={() => void open()}
      >
        {t`Open in editor`}
      </Button>
      {error && <ErrorNote error={error} />}
    </>
  );
}

/** Files, one behind the other. */
export function Places({ paths }: { paths: readonly string[] }) {
  return paths.map((path, place) => (
    <span key={path} title={path}>
      {place > 0 && ", "}
      <VisibleText text={homePath(path)} />
    </span>
  ));
}
