/** What a model was sent with one request, message by message, and what it answered. However much it is, it comes in pages. */
import { plural, t } from "@lingui/core/macro";
import { ShieldAlert, ShieldCheck } from "lucide-react";
import { memo, type ReactNode, useId, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { copyText } from "../../components/copy";
import { Dialog } from "../../components/Dialog";
import { Disclosure } from "../../components/Disclosure";
import { ErrorNote } from "../../components/ErrorNote";
import { Segments } from "../../components/Segments";
import { useActs } from "../../components/useActs";
import { useAnswer } from "../../components/useAnswer";
import { useArki } from "../../platform/context";
import type {
  CommandError,
  SentForm,
  SentPart,
  SentParts,
  SentRequest,
  SentSide,
} from "../../protocol/generated";
import { factsOf, proofWords, roleWords, sizeWords } from "./sent_words";
import "./sent.css";

type Props = {
  sessionId: string;
  /** The request's event. */
  seq: number;
  onClose: () => void;
};

export function SentDialog({ sessionId, seq, onClose }: Props) {
  const { answer: sent, error: unread } = useAnswer("sent_request", { sessionId, seq });
  const [uncopied, setUncopied] = useState<CommandError | null>(null);
  const error = unread ?? uncopied;
  return (
    <Dialog
      title={t`Sent to the model`}
      open
      onClose={onClose}
      wide="most"
      footer={sent && <Copying sent={sent} onError={setUncopied} />}
    >
      {error && <ErrorNote error={error} />}
      {sent === null && !error && <p className="secondary">{t`Reading the log…`}</p>}
      {sent && <Sent sent={sent} />}
    </Dialog>
  );
}

function Sent({ sent }: { sent: SentRequest }) {
  const [side, setSide] = useState<SentSide>("prompt");
  const sides: { value: SentSide; words: string }[] = [
    { value: "prompt", words: t`Prompt` },
    { value: "answer", words: t`Answer` },
  ];
  const proven = sent.proof === "proven";
  const Sign = proven ? ShieldCheck : ShieldAlert;
  return (
    <>
      <p className={proven ? "sent-proof" : "sent-proof unproven"}>
        <Sign size={16} aria-hidden />
        <span>{proofWords(sent.proof)}</span>
      </p>
      <p className="secondary small sent-facts">
        {factsOf(sent)}
        <br />
        <code className="code" title={t`SHA-256 of the bytes that were sent`}>
          {sent.requestHash}
        </code>
      </p>
      <Segments label={t`Part of the exchange`} value={side} choices={sides} onChoose={setSide} />
      <Parts key={side} sent={sent} side={side} />
    </>
  );
}

function Parts({ sent, side }: { sent: SentRequest; side: SentSide }) {
  const { platform } = useArki();
  const { sessionId, seq } = sent;
  const [{ parts, next }, setShown] = useState<SentParts>(sent[side]);
  const { busy: reading, error, attempt } = useActs();
  const more = (from: number) =>
    attempt(async () => {
      const page = await platform.call("sent_parts", { sessionId, seq, side, from });
      setShown((shown) => ({ parts: [...shown.parts, ...page.parts], next: page.next }));
    });
  if (parts.length === 0)
    return <p className="empty secondary">{side === "answer" ? t`No answer came.` : t`Nothing to show.`}</p>;
  const view = (part: SentPart) => (
    <SentPartView key={part.place} sessionId={sessionId} seq={seq} side={side} part={part} />
  );
  const first = parts.findIndex((part) => part.role === "tool");
  const end = parts.findLastIndex((part) => part.role === "tool") + 1;
  return (
    <>
      <ol className="sent-parts" aria-label={side === "answer" ? t`Answer` : t`Prompt`}>
        {first === -1 ? (
          parts.map(view)
        ) : (
          <>
            {parts.slice(0, first).map(view)}
            <Tools tools={parts.slice(first, end)} view={view} />
            {parts.slice(end).map(view)}
          </>
        )}
      </ol>
      {error && <ErrorNote error={error} />}
      {next !== null && (
        <Button small look="quiet" disabled={reading} onClick={() => void more(next)}>
          {reading ? t`Reading…` : t`Show more messages`}
        </Button>
      )}
    </>
  );
}

/** They are many, always the same, and next to each other: one line. */
function Tools({ tools, view }: { tools: readonly SentPart[]; view: (part: SentPart) => ReactNode }) {
  const [open, setOpen] = useState(false);
  const list = useId();
  const bytes = tools.reduce((sum, tool) => sum + tool.bytes, 0);
  return (
    <li className="sent-part">
      <Disclosure open={open} onToggle={() => setOpen(!open)} controls={list}>
        <span className="sent-role">{t`${plural(tools.length, { one: "# tool", other: "# tools" })}`}</span>
        <span className="secondary cut grow code" dir="auto">
          {tools.map((tool) => tool.name).join(", ")}
        </span>
        <span className="secondary small">{sizeWords(bytes)}</span>
      </Disclosure>
      {open && (
        <ol id={list} className="sent-tools">
          {tools.map(view)}
        </ol>
      )}
    </li>
  );
}

type CopyingProps = { sent: SentRequest; onError: (error: CommandError | null) => void };

function Copying({ sent: { sessionId, seq, bodyBytes }, onError }: CopyingProps) {
  const { platform } = useArki();
  const [copied, setCopied] = useState<SentForm | null>(null);
  const copy = async (form: SentForm) => {
    onError(null);
    try {
      await copyText(await platform.call("sent_json", { sessionId, seq, form }));
      setCopied(form);
    } catch (caught) {
      onError(caught as CommandError);
    }
  };
  return (
    <>
      <span className="secondary small grow" role="status">
        {copied && t`Copied.`}
      </span>
      {bodyBytes !== null && (
        <Button look="quiet" onClick={() => void copy("body")}>
          {t`Copy the provider's JSON`}
        </Button>
      )}
      <Button onClick={() => void copy("neutral")}>{t`Copy as JSON`}</Button>
    </>
  );
}

type PartProps = { sessionId: string; seq: number; side: SentSide; part: SentPart };

/** A message, tool or result of a past request. Its beginning is here; more of its text comes when it is asked for. */
const SentPartView = memo(({ sessionId, seq, side, part }: PartProps) => {
  const { platform } = useArki();
  const [open, setOpen] = useState(part.role !== "tool" && part.role !== "options" && part.role !== "system");
  const [pieces, setPieces] = useState([part.text]);
  const [next, setNext] = useState(part.next);
  const { busy: reading, error, attempt } = useActs();
  const body = useId();
  const more = (from: number) =>
    attempt(async () => {
      const told = await platform.call("sent_text", { sessionId, seq, side, place: part.place, from });
      setPieces((before) => [...before, told.text]);
      setNext(told.next);
    });
  return (
    <li className="sent-part">
      <Disclosure open={open} onToggle={() => setOpen(!open)} controls={body}>
        <span className="sent-role">{roleWords(part)}</span>
        <span className="secondary cut grow code" dir="auto">
          {part.name && <VisibleText text={part.name} />}
        </span>
        <span className="secondary small">{sizeWords(part.bytes)}</span>
      </Disclosure>
      {open && (
        <div id={body} className="sent-text">
          <pre className="output" tabIndex={0} dir="auto">
            {pieces.map((piece, place) => (
              // Pieces are only added, so that their place is what they are.
              <Piece key={`${place}`} text={piece} />
            ))}
          </pre>
          {error && <ErrorNote error={error} />}
          {next !== null && (
            <Button small look="quiet" disabled={reading} onClick={() => void more(next)}>
              {reading ? t`Reading…` : t`Show more: ${sizeWords(rest(part, next))} left`}
            </Button>
          )}
        </div>
      )}
    </li>
  );
});

const Piece = memo(({ text }: { text: string }) => <VisibleText text={text} />);

const rest = ({ bytes }: SentPart, next: number) => Math.max(0, bytes - next);
