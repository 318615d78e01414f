/**
 * Where one writes. Enter sends, except while an input method is composing; Shift+Enter makes a line. While a run
 * works, what is sent waits for its end, or steers the run with Alt+Enter.
 */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ArrowUp, Paperclip, Pause, Square } from "lucide-react";
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { Button } from "../../components/Button";
import { isText, storedDrafts } from "../../components/drafts";
import { folderName } from "../../components/format";
import { lazily } from "../../components/lazily";
import { composes, matches, sends, showShortcut } from "../../components/shortcuts";
import { useStore } from "../../platform/stores/store";
import type { QueueMode, Shown } from "../../protocol/generated";
import { typeInto } from "./menu/type_into";
import { useComposerMenu } from "./menu/useComposerMenu";
import { picturesOf } from "./pictures/draft_pictures";
import { useAttaching } from "./pictures/useAttaching";
import { keepSent, useRecall } from "./recalling";

/** Words that were put into the box from elsewhere: `at` tells one time from the next. */
export type Draft = { text: string; at: number };

export type ComposerProps = {
  /** Whose unsent words these are: they are kept while one looks at another session. */
  draftOf: string;
  of: Shown;
  /** The title of the session that the words go to; null for a new one. */
  title: string | null;
  /** A run that is not over: what is sent is queued. Null when there is none. */
  run: "running" | "waiting" | "paused" | null;
  /** The run waits for the answer to a question, which has a box of its own. */
  asks?: boolean;
  /** Why nothing can be sent, in words, or null. */
  blocked: string | null;
  /** What decides the next message. */
  decides?: ReactNode;
  /** With a mode when it is to be queued. */
  onSend: (text: string, mode: QueueMode | null) => Promise<boolean>;
  onStop: () => void;
  onPause: () => void;
  onOpenFolder: (path: string) => void;
  inputRef: RefObject<HTMLTextAreaElement | null>;
  given?: Draft | null;
  /** They are in the box now: showing the session again must not put them in again. */
  onGiven?: () => void;
};

const MentionChips = lazily(() => import("./menu/MentionChips").then((part) => part.MentionChips));

const AttachedPictures = lazily(() =>
  import("./pictures/AttachedPictures").then((part) => part.AttachedPictures),
);

const attachKeys = "Mod+Shift+A";

const drafts = storedDrafts("message", isText);

export function Composer(props: ComposerProps) {
  const { draftOf, of, title, run, asks = false, blocked, onSend, onOpenFolder, inputRef } = props;
  const [text, setText] = useState(() => drafts.get(draftOf) ?? "");
  const latest = useRef(text);
  const write = (words: string) => {
    latest.current = words;
    if (words === "") drafts.delete(draftOf);
    else drafts.set(draftOf, words);
    setText(words);
  };
  useGiven(props.given ?? null, text, (words) => {
    write(words);
    props.onGiven?.();
  });
  const draft = picturesOf(draftOf);
  const attached = useStore(draft);
  const isBlocked = blocked !== null;
  const onMention = (mentions: readonly string[]) => mention(inputRef.current, mentions);
  const isSession = of.sessionId !== null;
  const attaching = useAttaching({ draft, isBlocked, isSession, onOpenFolder, onMention });
  const [sending, setSending] = useState(false);
  const about = useId();
  const goal = useId();
  // The queue holds words alone: pictures begin a run or stay here.
  const isHeld = run !== null && attached.pictures.length > 0;
  const canSend = blocked === null && !sending && !isHeld && attached.coming === 0;
  const ready = canSend && text.trim() !== "";
  const send = async (mode: QueueMode, words = text) => {
    if (!canSend || words.trim() === "") return;
    setSending(true);
    // The words stay in the box until the engine has them: a failed send loses nothing. What is written meanwhile stays.
    if (await onSend(words, run === null ? null : mode)) {
      write(latest.current.startsWith(text) ? latest.current.slice(text.length) : latest.current);
      keepSent(of.folder, words);
    }
    setSending(false);
  };
  const menu = useComposerMenu({ of, text, onSend: (words) => void send("follow_up", words) });
  const recalls = useRecall({ of, text, write });
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (menu.takes(event) || (!composes(event.nativeEvent) && recalls(event))) return event.preventDefault();
    if (matches(event.nativeEvent, attachKeys)) {
      event.preventDefault();
      return attaching.choose();
    }
    if (!sends(event.nativeEvent)) return;
    event.preventDefault();
    void send(event.altKey ? "steer" : "follow_up");
  };
  return (
    <div className="composer">
      {blocked && (
        <p id={about} className="composer-why small secondary">
          {blocked}
        </p>
      )}
      {menu.menu}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its edge belongs to the field for who points at it */}
      <div className="composer-box" onMouseDown={focusField}>
        <div className="composer-grow" data-text={`${text}\n`}>
          <textarea
            ref={inputRef}
            aria-label={t`Message`}
            aria-describedby={blocked || run ? `${goal} ${about}` : goal}
            placeholder={placeholderOf(run, asks, blocked)}
            rows={1}
            value={text}
            disabled={blocked !== null}
            dir="auto"
            onChange={(event) => write(event.target.value)}
            onKeyDown={onKeyDown}
            onPaste={attaching.onPaste}
            {...menu.box}
          />
        </div>
        <div className="composer-bar">
          <Button
            look="quiet"
            label={t`Attach files…`}
            shortcut={attachKeys}
            icon={<Paperclip size={16} aria-hidden />}
            disabled={blocked !== null}
            onClick={attaching.choose}
          />
          {props.decides}
          {run && <RunButtons run={run} onStop={props.onStop} onPause={props.onPause} />}
          {run && (
            <Button
              title={t`Steer: send to the current run`}
              shortcut="Alt+Enter"
              disabled={!ready}
              onClick={() => send("steer")}
            >
              {t`Steer`}
            </Button>
          )}
          <Button
            look="primary"
            label={t`Send`}
            title={run ? t`Send after this run` : t`Send`}
            shortcut="Enter"
            icon={<ArrowUp size={16} aria-hidden />}
            disabled={!ready}
            onClick={() => send("follow_up")}
          />
        </div>
      </div>
      {(attaching.isOver ||
        attached.folder ||
        attached.pictures.length > 0 ||
        attached.coming > 0 ||
        attached.refused.length > 0) && (
        <AttachedPictures
          draft={draft}
          onFocus={() => inputRef.current?.focus()}
          isOver={attaching.isOver}
          isBlocked={isBlocked}
          onOpenFolder={onOpenFolder}
          onMention={onMention}
        />
      )}
      {text.includes("@") && <MentionChips text={text} />}
      <div className="composer-how small secondary">
        <p id={goal} className="cut" title={of.folder}>
          <Trans>
            To {title === null ? t`a new session` : <b dir="auto">{t`“${title}”`}</b>} in{" "}
            <b>{folderName(of.folder)}</b>
          </Trans>
        </p>
        {run && !blocked && (
          <p id={about}>
            {isHeld ? (
              t`Pictures can't be queued. Send them when the run has ended, or remove them.`
            ) : (
              <Trans>
                <kbd>{showShortcut("Enter")}</kbd> queues this for the next run.{" "}
                <kbd>{showShortcut("Alt+Enter")}</kbd> sends it to the current run.
              </Trans>
            )}
          </p>
        )}
      </div>
    </div>
  );
}

function placeholderOf(run: ComposerProps["run"], asks: boolean, blocked: ComposerProps["blocked"]): string {
  if (blocked !== null) return t`You can't send messages here`;
  if (asks) return t`Answer above, or write a message for later…`;
  return run ? t`Write a message for later…` : t`Ask a question or describe a change…`;
}

function RunButtons({ run, onStop, onPause }: Pick<ComposerProps, "run" | "onStop" | "onPause">) {
  return (
    <>
      {run === "running" && (
        <Button
          look="quiet"
          label={t`Pause`}
          title={t`Pause after this step`}
          command="pause"
          icon={<Pause size={14} fill="currentColor" aria-hidden />}
          onClick={onPause}
        />
      )}
      <Button
        label={t`Stop`}
        title={t`Stop`}
        command="stop"
        icon={<Square size={12} fill="currentColor" aria-hidden />}
        onClick={onStop}
      >
        {t`Stop`}
      </Button>
    </>
  );
}

/** At the caret, or at the end where the box has no focus. */
function mention(box: HTMLTextAreaElement | null, mentions: readonly string[]): void {
  if (!box) return;
  const at = document.activeElement === box ? box.selectionEnd : box.value.length;
  const before = /\S$/.test(box.value.slice(0, at)) ? " " : "";
  typeInto(box, at, at, `${before}${mentions.join(" ")} `);
}

/** What was written but not sent stays, below what is put in. */
function useGiven(given: Draft | null, text: string, write: (words: string) => void): void {
  const at = given?.at ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time words are put in, whatever stands there
  useEffect(() => {
    if (given === null || given.text === "") return;
    write(text.trim() === "" || text === given.text ? given.text : `${given.text.trimEnd()}\n\n${text}`);
  }, [at]);
}

/** A press on the edge around the field is meant for the field. */
function focusField(event: MouseEvent<HTMLElement>) {
  if (event.target !== event.currentTarget) return;
  event.preventDefault();
  event.currentTarget.querySelector("textarea")?.focus();
}
