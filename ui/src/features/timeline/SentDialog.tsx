/** What a model was sent with one request, message by message, and what it answered. However much it is, it comes in pages. */
import { t } from "@lingui/core/macro";
import { ShieldAlert, ShieldCheck } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { copyText } from "../../components/copy";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { Segments } from "../../components/Segments";
import { useArki } from "../../platform/context";
import type { CommandError, SentForm, SentParts, SentRequest, SentSide } from "../../protocol/generated";
import { SentPartView } from "./SentPartView";
import { factsOf, proofWords } from "./sent_words";
import "./sent.css";

type Props = {
  sessionId: string;
  /** The request's event. */
  seq: number;
  onClose: () => void;
};

export function SentDialog({ sessionId, seq, onClose }: Props) {
  const { platform } = useArki();
  const [sent, setSent] = useState<SentRequest | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  useEffect(() => {
    let gone = false;
    platform
      .call("sent_request", { sessionId, seq })
      .then((found) => !gone && setSent(found))
      .catch((caught: CommandError) => !gone && setError(caught));
    return () => {
      gone = true;
    };
  }, [platform, sessionId, seq]);
  return (
    <Dialog
      title={t`Sent to the model`}
      open
      onClose={onClose}
      wide="most"
      footer={sent && <Copying sent={sent} onError={setError} />}
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
  const [reading, setReading] = useState(false);
  const [error, setError] = useState<CommandError | null>(null);
  const more = async (from: number) => {
    setReading(true);
    setError(null);
    try {
      const page = await platform.call("sent_parts", { sessionId, seq, side, from });
      setShown((shown) => ({ parts: [...shown.parts, ...page.parts], next: page.next }));
    } catch (caught) {
      setError(caught as CommandError);
    } finally {
      setReading(false);
    }
  };
  if (parts.length === 0)
    return <p className="empty secondary">{side === "answer" ? t`No answer came.` : t`Nothing to show.`}</p>;
  return (
    <>
      <ol className="sent-parts" aria-label={side === "answer" ? t`Answer` : t`Prompt`}>
        {parts.map((part) => (
          <SentPartView key={part.place} sessionId={sessionId} seq={seq} side={side} part={part} />
        ))}
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
