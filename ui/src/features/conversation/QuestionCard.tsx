/** What the model asks, with the answers to choose from and a box for another one; then what was answered. */
import { t } from "@lingui/core/macro";
import {
  type KeyboardEvent,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { Button } from "../../components/Button";
import { readingKey } from "../../components/direction";
import { draftsInMemory, useKeptDraft } from "../../components/drafts";
import { ErrorNote } from "../../components/ErrorNote";
import { Markdown, type OnLink } from "../../components/markdown/Markdown";
import { matches, sends } from "../../components/shortcuts";
import { asCommandError } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";
import type { Question, ToolState } from "../../protocol/items";
import "./question.css";

type Props = {
  question: Question;
  state: ToolState;
  /** Null where it can't be answered: the log is broken. */
  onAnswer: ((questionId: string, text: string) => Promise<void>) | null;
  onLink: OnLink;
};

export function QuestionCard({ question, state, onAnswer, onLink }: Props) {
  const asked = useId();
  const open = state === "waiting" && onAnswer !== null;
  return (
    <section className={`question ${open ? "open" : ""}`} aria-labelledby={asked}>
      <p id={asked} className="question-head small">
        <span aria-hidden>? </span>
        {open ? t`Arki asks you` : t`Arki asked`}
      </p>
      <Markdown text={question.text} onLink={onLink} streaming={false} />
      {open && <Answering question={question} onAnswer={onAnswer} />}
      {question.answer !== null && (
        <p className="question-answer" dir="auto">
          <span className="secondary">{t`You: `}</span>
          {question.answer}
        </p>
      )}
      {question.answer === null && state === "interrupted" && (
        <p className="small secondary">{t`Not answered: the run was stopped.`}</p>
      )}
    </section>
  );
}

/** By question: what is written and not sent yet. It may be a secret. */
const drafts = draftsInMemory<string>();

type AnsweringProps = { question: Question; onAnswer: NonNullable<Props["onAnswer"]> };

function Answering({ question: { questionId, options }, onAnswer }: AnsweringProps) {
  const { draft: words, change, forget } = useKeptDraft(drafts, questionId, "");
  const choices = useChoiceKeys();
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<CommandError | null>(null);
  const answer = async (text: string) => {
    if (sending || text.trim() === "") return;
    setSending(true);
    setError(null);
    try {
      await onAnswer(questionId, text);
      forget();
    } catch (thrown) {
      setError(asCommandError(thrown));
      setSending(false);
    }
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    void answer(words);
  };
  const answers = t({ message: "Answer", context: "button" });
  return (
    <>
      {options.length > 0 && (
        <fieldset
          ref={choices}
          className="question-options"
          aria-label={t`Suggested answers`}
          onKeyDown={moveByArrow}
        >
          {options.map((option, place) => (
            <Button
              key={option}
              className="question-option"
              label={option}
              title={t`Send this answer`}
              shortcut={keyOf(place)}
              aria-keyshortcuts={keyOf(place)}
              data-key={keyOf(place)}
              data-first={place === 0 ? "" : undefined}
              aria-disabled={sending}
              onClick={() => void answer(option)}
            >
              <span dir="auto">{option}</span>
            </Button>
          ))}
        </fieldset>
      )}
      <form className="question-own" onSubmit={submit}>
        <div className="composer-grow" data-text={`${words}\n`}>
          <textarea
            aria-label={t`Your answer`}
            placeholder={options.length > 0 ? t`Or write your own answer…` : t`Your answer…`}
            rows={1}
            value={words}
            dir="auto"
            data-first={options.length === 0 ? "" : undefined}
            onChange={(event) => change(() => event.target.value)}
            onKeyDown={(event) => sends(event.nativeEvent) && submit(event)}
          />
        </div>
        <Button
          type="submit"
          look={words.trim() === "" ? "plain" : "primary"}
          title={answers}
          shortcut="Enter"
          disabled={sending || words.trim() === ""}
        >
          {answers}
        </Button>
      </form>
      {error && <ErrorNote error={error} />}
    </>
  );
}

/** The first nine have a key. */
const keyOf = (place: number) => (place < 9 ? `${place + 1}` : undefined);

/** Wherever the focus is, but in a dialog; while one writes, a digit is a digit. What another view hides hears nothing. */
function useChoiceKeys(): RefObject<HTMLFieldSetElement | null> {
  const choices = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      if (event.defaultPrevented || !/^[1-9]$/.test(event.key) || !matches(event, event.key)) return;
      if ((event.target as Element).closest("input, textarea, select, [role=dialog]")) return;
      if (choices.current?.closest("[inert], [hidden]")) return;
      const choice = choices.current?.querySelector<HTMLElement>(`[aria-keyshortcuts="${event.key}"]`);
      if (!choice) return;
      event.preventDefault();
      choice.click();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  return choices;
}

function moveByArrow(event: KeyboardEvent<HTMLElement>) {
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[readingKey(event.key)];
  if (by === undefined) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
  const next = all[all.indexOf(document.activeElement as HTMLElement) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
