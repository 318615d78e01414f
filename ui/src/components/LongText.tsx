/** Plain text of any length: drawn in pieces, of which only the last one changes, and at first not all of them. */
import { memo, useRef, useState, useSyncExternalStore } from "react";
import type { GrowingText } from "../protocol/growing";
import { ShowMore } from "./ShowMore";

const pieceChars = 4_000;
const piecesShown = 5;

type Props = { text: string | GrowingText; className?: string };

export function LongText({ text, className }: Props) {
  return typeof text === "string" && text.length <= pieceChars ? (
    <p className={className} dir="auto">
      {text}
    </p>
  ) : (
    <Pieces text={text} className={className} />
  );
}

function Pieces({ text, className }: Props) {
  const [shown, setShown] = useState(piecesShown);
  const cut = useRef<{ of: Props["text"]; read: number; pieces: string[] } | null>(null);
  const growing = typeof text === "string" ? null : text;
  useSyncExternalStore(growing?.subscribe ?? never, growing?.count ?? none);
  if (cut.current?.of !== text) cut.current = { of: text, read: 0, pieces: [] };
  const { pieces } = cut.current;
  if (growing === null) {
    if (pieces.length === 0) addTo(pieces, text as string);
  } else {
    addTo(pieces, growing.since(cut.current.read));
    cut.current.read = growing.count();
  }
  return (
    <>
      <p className={className} dir="auto">
        {pieces.slice(0, shown).map((piece, at) => (
          <Piece key={`${at}`} text={piece} />
        ))}
      </p>
      {pieces.length > shown && (
        <ShowMore
          hidden={(pieces.length - shown) * pieceChars}
          what="characters"
          onMore={() => setShown(shown * 2)}
        />
      )}
    </>
  );
}

const never = () => () => undefined;
const none = () => 0;

const Piece = memo(({ text }: { text: string }) => <span>{text}</span>);

function addTo(pieces: string[], text: string) {
  let at = 0;
  while (at < text.length) {
    const last = pieces.at(-1);
    if (last === undefined || last.length >= pieceChars) {
      pieces.push(text.slice(at, at + pieceChars));
      at += pieceChars;
    } else {
      const room = pieceChars - last.length;
      pieces[pieces.length - 1] = last + text.slice(at, at + room);
      at += room;
    }
  }
}
