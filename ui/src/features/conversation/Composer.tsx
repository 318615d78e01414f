/** Where one writes. Enter sends, except while an input method is composing; Shift+Enter makes a line. */
import { ArrowUp, Square } from "lucide-react";
import { type KeyboardEvent, type Ref, useId, useState } from "react";
import { Button } from "../../components/Button";

type Props = {
  /** Whose unsent words these are: they are kept while one looks at another session. */
  draftOf: string;
  running: boolean;
  /** Why nothing can be sent, in words, or null. */
  blocked: string | null;
  onSend: (text: string) => Promise<boolean>;
  onStop: () => void;
  inputRef: Ref<HTMLTextAreaElement>;
};

/** Safari-based webviews report the Enter that ends a composition only by this key code. */
const composingKeyCode = 229;

const drafts = new Map<string, string>();

export function Composer({ draftOf, running, blocked, onSend, onStop, inputRef }: Props) {
  const [text, setText] = useState(() => drafts.get(draftOf) ?? "");
  const write = (words: string) => {
    if (words === "") drafts.delete(draftOf);
    else drafts.set(draftOf, words);
    setText(words);
  };
  const [sending, setSending] = useState(false);
  const why = useId();
  const ready = blocked === null && !running && !sending && text.trim() !== "";
  const send = async () => {
    if (!ready) return;
    setSending(true);
    // The words stay in the box until the engine has them: a failed send loses nothing.
    if (await onSend(text)) write("");
    setSending(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.nativeEvent.isComposing || event.keyCode === composingKeyCode) return;
    event.preventDefault();
    void send();
  };
  return (
    <div className="composer">
      {blocked && (
        <p id={why} className="composer-why small secondary">
          {blocked}
        </p>
      )}
      <div className="composer-box">
        <div className="composer-grow" data-text={`${text}\n`}>
          <textarea
            ref={inputRef}
            aria-label="Message"
            aria-describedby={blocked ? why : undefined}
            placeholder={running ? "Write the next message meanwhile…" : "Ask for a change, or a question…"}
            rows={1}
            value={text}
            disabled={blocked !== null}
            dir="auto"
            onChange={(event) => write(event.target.value)}
            onKeyDown={onKeyDown}
          />
        </div>
        {running ? (
          <Button
            look="plain"
            label="Stop"
            title="Stop"
            shortcut="Mod+."
            icon={<Square size={12} fill="currentColor" aria-hidden />}
            onClick={onStop}
          >
            Stop
          </Button>
        ) : (
          <Button
            look="primary"
            label="Send"
            shortcut="Enter"
            icon={<ArrowUp size={16} aria-hidden />}
            disabled={!ready}
            onClick={send}
          />
        )}
      </div>
    </div>
  );
}
