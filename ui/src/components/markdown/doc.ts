/** The blocks of a text, made once for it, however often it is drawn. */
import type { TokensList } from "marked";
import { useMemo, useSyncExternalStore } from "react";
import { GrowingText } from "../../protocol/growing";
import { Blocks } from "./blocks";
import { newLexer } from "./math";

export type Links = TokensList["links"];

class Doc {
  readonly blocks = new Blocks();
  private read = 0;
  private defined = 0;
  private named: Links = Object.create(null);
  private isOver = false;

  constructor(private readonly text: GrowingText) {}

  /** Takes what came since. */
  catchUp(): this {
    const count = this.text.count();
    if (count > this.read) {
      this.blocks.append(this.text.since(this.read));
      this.read = count;
    }
    return this;
  }

  finish(): this {
    if (!this.isOver) this.blocks.finish();
    this.isOver = true;
    return this;
  }

  /** Another object each time that there are more. */
  links(): Links {
    const { definitions } = this.blocks;
    if (definitions.length > this.defined) {
      const more = newLexer().lex(definitions.slice(this.defined).join("\n\n")).links;
      this.named = Object.assign(Object.create(null), more, this.named);
      this.defined = definitions.length;
    }
    return this.named;
  }
}

const docs = new WeakMap<GrowingText, Doc>();

function docOf(text: GrowingText): Doc {
  const known = docs.get(text);
  if (known) return known;
  const doc = new Doc(text);
  docs.set(text, doc);
  return doc;
}

/** Draws its caller anew when there is more of the text. */
export function useDoc(text: string | GrowingText, streaming: boolean): Doc {
  const growing = useMemo(() => (typeof text === "string" ? new GrowingText(text) : text), [text]);
  useSyncExternalStore(growing.subscribe, growing.count);
  const doc = docOf(growing).catchUp();
  return streaming ? doc : doc.finish();
}
