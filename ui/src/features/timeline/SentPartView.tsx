import { t } from "@lingui/core/macro";
import { memo, useId, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { Disclosure } from "../../components/Disclosure";
import { ErrorNote } from "../../components/ErrorNote";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import type { SentPart, SentSide } from "../../protocol/generated";
import { roleWords, sizeWords } from "./sent_words";

type Props = { sessionId: string; seq: number; side: SentSide; part: SentPart };

/** A message, tool or result of a past request. Its beginning is here; more of its text comes when it is asked for. */
export const SentPartView = memo(({ sessionId, seq, side, part }: Props) => {
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
