/** What waits to be said: edited where it stands, put in order, switched between steering and the next run, removed. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { ArrowDown, ArrowUp, Pencil, X } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { IconButton } from "../../components/IconButton";
import type { QueuedMessage, QueueMode } from "../../protocol/generated";
import { changed, moved } from "../../protocol/queue";
import "./queue.css";

type Change = (now: readonly QueuedMessage[]) => readonly QueuedMessage[];

type Props = {
  queue: readonly QueuedMessage[];
  onChange: (change: Change) => void;
  /** Where no run is in progress: begins one with the first message. */
  onSendNext: (() => void) | null;
  /** Puts words into the message box. */
  onPutBack: (text: string) => void;
};

// Said again: WebKit takes a list without markers for none.
const asList = { role: "list" } as const;
const asItem = { role: "listitem" } as const;

/** More than anyone reads at once; the next ones are one press away. */
const firstMessages = 30;
const moreMessages = 100;

export function QueueList({ queue, onChange, onSendNext, onPutBack }: Props) {
  const [most, setMost] = useState(firstMessages);
  const [removed, setRemoved] = useState<string | null>(null);
  const list = useRef<HTMLOListElement>(null);
  if (queue.length === 0 && removed === null) return null;
  const shown = queue.slice(0, most);
  const move = (messageId: string, by: 1 | -1) => onChange((now) => moved(now, messageId, by));
  const remove = (message: QueuedMessage, place: number) => {
    setRemoved(message.text);
    onChange((now) => now.filter((one) => one.messageId !== message.messageId));
    const rows = list.current?.querySelectorAll<HTMLElement>(".queued") ?? [];
    (rows[place + 1] ?? rows[place - 1])?.focus();
  };
  return (
    <section className="queue" aria-label={t`Queued messages`}>
      <div className="queue-head small secondary">
        <span className="grow" role="status">
          {queue.length > 0
            ? t`${plural(queue.length, { one: "# message", other: "# messages" })} queued`
            : t`Nothing queued`}
          {removed !== null && t` · 1 removed`}
        </span>
        {removed !== null && (
          <Button
            small
            look="quiet"
            title={t`Copy the removed text into the message box`}
            onClick={() => {
              onPutBack(removed);
              setRemoved(null);
            }}
          >
            {t`Restore`}
          </Button>
        )}
        {onSendNext && queue.length > 0 && (
          <Button small title={t`Start a run with the first message`} command="next" onClick={onSendNext}>
            {t`Send next`}
          </Button>
        )}
      </div>
      <ol ref={list} {...asList}>
        {shown.map((message, place) => (
          <Queued
            key={message.messageId}
            message={message}
            place={place}
            of={queue.length}
            onMove={(by) => move(message.messageId, by)}
            onPatch={(patch) => onChange((now) => changed(now, message.messageId, patch))}
            onRemove={() => remove(message, place)}
          />
        ))}
      </ol>
      {shown.length < queue.length && (
        <Button small look="quiet" onClick={() => setMost(most + moreMessages)}>
          {t`Show more of ${plural(queue.length, { one: "# message", other: "# messages" })}`}
        </Button>
      )}
    </section>
  );
}

type ModeWords = {
  sign: string;
  words: MessageDescriptor;
  instead: MessageDescriptor;
  title: MessageDescriptor;
};

const modes: Record<QueueMode, ModeWords> = {
  steer: {
    sign: "↪",
    words: msg`steers`,
    instead: msg`send after this run instead`,
    title: msg`The current run gets this. Click to send it after this run instead`,
  },
  follow_up: {
    sign: "→",
    words: msg`next run`,
    instead: msg`steer instead`,
    title: msg`The next run gets this. Click to send it to the current run instead`,
  },
};

type RowProps = {
  message: QueuedMessage;
  place: number;
  of: number;
  onMove: (by: 1 | -1) => void;
  onPatch: (patch: Partial<QueuedMessage>) => void;
  onRemove: () => void;
};

function Queued({ message, place, of, onMove, onPatch, onRemove }: RowProps) {
  const [editing, setEditing] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const words = modes[message.mode];
  const other: QueueMode = message.mode === "steer" ? "follow_up" : "steer";
  const onKeyDown = (event: KeyboardEvent) => {
    if (editing) return;
    const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined;
    if (by !== undefined) {
      event.preventDefault();
      onMove(by);
      return;
    }
    if (event.target !== row.current) return;
    if (event.key === "Enter" || event.key === "F2") setEditing(true);
    else if (event.key === "Delete" || event.key === "Backspace") onRemove();
    else return;
    event.preventDefault();
  };
  const done = (text: string | null) => {
    setEditing(false);
    if (text !== null && text.trim() !== "" && text !== message.text) onPatch({ text });
    setTimeout(() => row.current?.focus(), 0);
  };
  return (
    <li
      ref={row}
      {...asItem}
      className="queued"
      tabIndex={0}
      aria-label={`${i18n._(words.words)} ${message.text}, ${t`${place + 1} of ${of}`}`}
      aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
      onKeyDown={onKeyDown}
    >
      <button
        type="button"
        className={`queued-mode small ${message.mode}`}
        title={i18n._(words.title)}
        aria-label={`${i18n._(words.words)}: ${i18n._(words.instead)}`}
        onClick={() => onPatch({ mode: other })}
      >
        <span aria-hidden>{words.sign}</span> {i18n._(words.words)}
      </button>
      {editing ? (
        <QueuedEditor text={message.text} onDone={done} />
      ) : (
        <span className="queued-text grow" dir="auto" title={message.text}>
          {message.text}
        </span>
      )}
      {!editing && (
        <span className="queued-buttons">
          <IconButton
            label={t`Move up`}
            shortcut="Alt+↑"
            icon={ArrowUp}
            disabled={place === 0}
            onClick={() => onMove(-1)}
          />
          <IconButton
            label={t`Move down`}
            shortcut="Alt+↓"
            icon={ArrowDown}
            disabled={place === of - 1}
            onClick={() => onMove(1)}
          />
          <IconButton
            label={t`Edit queued message`}
            shortcut="Enter"
            icon={Pencil}
            onClick={() => setEditing(true)}
          />
          <IconButton label={t`Remove queued message`} shortcut="Delete" icon={X} onClick={onRemove} />
        </span>
      )}
    </li>
  );
}

function QueuedEditor({ text, onDone }: { text: string; onDone: (text: string | null) => void }) {
  const [words, setWords] = useState(text);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing || event.shiftKey) return;
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    onDone(event.key === "Enter" ? words : null);
  };
  return (
    <textarea
      className="field grow"
      aria-label={t`Queued message`}
      rows={Math.min(8, words.split("\n").length)}
      value={words}
      dir="auto"
      // biome-ignore lint/a11y/noAutofocus: the box is there because one asked to write in it
      autoFocus
      onChange={(event) => setWords(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => onDone(words)}
    />
  );
}
