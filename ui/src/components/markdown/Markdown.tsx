/**
 * Markdown from the model, drawn as React elements from marked's tokens. Model output is hostile: there is no
 * HTML on this path at all (raw HTML shows as the text it is), images are never loaded, and a link leaves the
 * window only through `onLink` and only if its scheme is allowed.
 */
import { t } from "@lingui/core/macro";
import type { Token, Tokens } from "marked";
import { memo, type ReactNode, useMemo, useState } from "react";
import { safeLink } from "../../platform/links";
import type { GrowingText } from "../../protocol/growing";
import { CodeBlock, LinesOfCode } from "../code/Code";
import { inOrder } from "../code/in_order";
import { lazily } from "../lazily";
import { Near } from "../near";
import { ShowMore } from "../ShowMore";
import type { Block, CodeText, Flow, Group, Items, TableText } from "./blocks";
import { type Links, useDoc } from "./doc";
import { decodeEntities } from "./entities";
import { estimated } from "./estimate";
import { type MathToken, newLexer, texOf } from "./math";
import "./markdown.css";

/** Asks what is to be done with a link: where it leads, and what it says. */
export type OnLink = (url: string, text: string) => void;

type Props = { text: string | GrowingText; onLink: OnLink; streaming?: boolean };

/** A text with more groups than this is drawn from its ends at first. */
const groupsAtFirst = 3;

export function Markdown({ text, onLink, streaming = false }: Props) {
  const doc = useDoc(text, streaming);
  const { groups } = doc.blocks;
  const links = doc.links();
  const context = useMemo(() => ({ onLink, links }), [onLink, links]);
  return (
    <div className="markdown" dir="auto">
      {groups.map((group, index) => (
        // Groups only grow at the end, so position is identity and what is over is never drawn again.
        <DrawnGroup
          key={`${index}`}
          group={group}
          context={context}
          atFirst={index < 1 || index >= groups.length - groupsAtFirst}
        />
      ))}
    </div>
  );
}

type Context = { onLink: OnLink; links: Links };

type GroupProps = { group: Group; context: Context; atFirst: boolean };

const DrawnGroup = memo(
  ({ group, context, atFirst }: GroupProps) => (
    <Near className="markdown-group" height={estimated(group)} atFirst={atFirst}>
      {() =>
        group.blocks.map((block, index) => <DrawnBlock key={`${index}`} block={block} context={context} />)
      }
    </Near>
  ),
  (a, b) => a.group === b.group && a.context === b.context,
);

const DrawnBlock = memo(({ block, context }: { block: Block; context: Context }) => {
  switch (block.kind) {
    case "code":
      return <Code block={block} />;
    case "table":
      return <Table block={block} context={context} />;
    case "list":
      return <List block={block} context={context} />;
    case "formula":
      // What has arrived of it is no formula yet.
      if (block.open) return <p>{block.source}</p>;
      return <Formula tex={texOf(block.source)} source={block.source} display />;
    case "flow":
      return <FlowText block={block} context={context} />;
  }
});

const Formula = lazily(
  () => import("./formula/Formula").then((part) => part.Formula),
  ({ source }: { tex: string; source: string; display: boolean }) => <code>{source}</code>,
);

const Diagram = lazily(
  () => import("./diagram/Diagram").then((part) => part.Diagram),
  ({ code }: { code: string }) => <CodeBlock code={code} language="" />,
);

/** Longer code is drawn line by line where it is seen, and without colours. */
const plainCodeChars = 60_000;

function Code({ block }: { block: CodeText }) {
  const long = block.open || block.text.size > plainCodeChars;
  const { language } = block;
  if (long)
    return <LinesOfCode language={language} text={block.text} tail={block.tail} lines={block.lines} />;
  return <WholeCode code={block.text.whole()} language={language} />;
}

function WholeCode({ code, language }: { code: string; language: string }) {
  if (language.toLowerCase() === "mermaid") return <Diagram code={code} />;
  return <CodeBlock code={code} language={language} />;
}

/** So many pieces of a paragraph are drawn without being asked for. */
const prosePieces = 5;

function FlowText({ block, context }: { block: Flow; context: Context }) {
  const [shown, setShown] = useState(block.prose ? prosePieces : 1);
  const { pieces } = block;
  const hidden = pieces.slice(shown).reduce((sum, piece) => sum + piece.length, 0);
  const isLong = block.prose && pieces.length > 1;
  return (
    <>
      {isLong ? (
        <p>
          {pieces.slice(0, shown).map((piece, index) => (
            <Words key={`${index}`} text={piece} context={context} />
          ))}
        </p>
      ) : (
        pieces
          .slice(0, shown)
          .map((piece, index) => <Piece key={`${index}`} text={piece} context={context} />)
      )}
      {hidden > 0 && <ShowMore hidden={hidden} what="characters" onMore={() => setShown(shown * 2)} />}
    </>
  );
}

function lexed(text: string, links: Links): Token[] {
  const lexer = newLexer();
  Object.assign(lexer.tokens.links, links);
  return lexer.lex(text);
}

const Piece = memo(({ text, context }: { text: string; context: Context }) => {
  const tokens = useMemo(() => lexed(text, context.links), [text, context.links]);
  return blocks(tokens, context);
});

const Words = memo(({ text, context }: { text: string; context: Context }) => {
  const tokens = useMemo(() => {
    const lexer = newLexer();
    Object.assign(lexer.tokens.links, context.links);
    return lexer.inlineTokens(text);
  }, [text, context.links]);
  return inline(tokens, context);
});

function List({ block, context }: { block: Items; context: Context }) {
  const first = block.items[0]?.[0] ?? "";
  const ordered = /^ {0,3}(\d+)/.exec(first);
  const items = block.items.map((pieces, index) => (
    <Item key={`${index}`} pieces={pieces} context={context} />
  ));
  const look = block.goesOn ? "goes-on" : undefined;
  if (!ordered) return <ul className={look}>{items}</ul>;
  return (
    <ol className={look} start={Number(ordered[1]) || 1}>
      {items}
    </ol>
  );
}

const Item = memo(
  ({ pieces, context }: { pieces: readonly string[]; context: Context }) => {
    const [shown, setShown] = useState(1);
    const text = pieces[0] ?? "";
    const parsed = useMemo(() => lexed(text, context.links), [text, context.links]);
    const list = parsed.find((token): token is Tokens.List => token.type === "list");
    const hidden = pieces.slice(shown).reduce((sum, piece) => sum + piece.length, 0);
    const item = list?.items[0];
    return (
      <li className={item?.task ? "task" : undefined}>
        {item ? itemParts(item, context) : blocks(parsed, context)}
        {pieces.slice(1, shown).map((piece, index) => (
          <Piece key={`${index}`} text={dedented(piece)} context={context} />
        ))}
        {hidden > 0 && <ShowMore hidden={hidden} what="characters" onMore={() => setShown(shown * 2)} />}
      </li>
    );
  },
  (a, b) =>
    a.context === b.context &&
    a.pieces.length === b.pieces.length &&
    a.pieces.every((piece, at) => piece === b.pieces[at]),
);

function dedented(text: string): string {
  const indent = Math.min(...text.split("\n").map((line) => (line.trim() ? line.search(/\S/) : 99)));
  return text.replaceAll(new RegExp(`^ {0,${indent}}`, "gm"), "");
}

/** A table's columns are as wide as what is drawn of it: all of a long one would be measured with each row. */
const rowsShown = 100;

function Table({ block, context }: { block: TableText; context: Context }) {
  const [shown, setShown] = useState(rowsShown);
  const head = useMemo(() => tableOf(block.head, "", context.links), [block.head, context.links]);
  const { chunks, linesAChunk } = block.rows;
  const hidden = block.lines - shown;
  if (!head) return <p>{block.head}</p>;
  return (
    <div className="markdown-table" tabIndex={0} role="group" aria-label={t`Table`}>
      <table>
        <thead>
          <tr>
            {head.header.map((cell, index) => (
              <th key={`${index}`} scope="col" style={{ textAlign: cell.align ?? undefined }}>
                {inline(cell.tokens, context)}
              </th>
            ))}
          </tr>
        </thead>
        {chunks.slice(0, Math.ceil(shown / linesAChunk)).map((rows, index) => (
          <Rows key={`${index}`} head={block.head} rows={rows} context={context} />
        ))}
      </table>
      {hidden > 0 && <ShowMore hidden={hidden} what="rows" onMore={() => setShown(shown * 2)} />}
    </div>
  );
}

type RowsProps = { head: string; rows: string; context: Context };

const Rows = memo(({ head, rows, context }: RowsProps) => (
  <tbody>
    {rows.split("\n").map((row, at) => (
      <Row key={`${at}`} head={head} row={row} context={context} />
    ))}
  </tbody>
));

const Row = memo(({ head, row, context }: { head: string; row: string; context: Context }) => (
  <tr>
    {tableOf(head, row, context.links)?.rows[0]?.map((cell, index) => (
      <td key={`${index}`} style={{ textAlign: cell.align ?? undefined }}>
        {inline(cell.tokens, context)}
      </td>
    ))}
  </tr>
));

function tableOf(head: string, row: string, links: Links): Tokens.Table | undefined {
  const tokens = lexed(`${head}\n${row}`, links);
  return tokens.find((token): token is Tokens.Table => token.type === "table");
}

function block(token: Tokens.Generic, context: Context): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return <Heading depth={token.depth}>{inline(token.tokens, context)}</Heading>;
    case "code":
      return isFenced(token.raw) ? (
        <WholeCode code={token.text} language={languageOf(token)} />
      ) : (
        <CodeBlock code={token.text} language={languageOf(token)} />
      );
    case "math":
      return formula(token as MathToken);
    case "blockquote":
      return <blockquote>{blocks(token.tokens, context)}</blockquote>;
    case "list":
      return list(token as Tokens.List, context);
    case "table":
      return table(token as Tokens.Table, context);
    case "hr":
      return <hr />;
    case "paragraph":
      return <p>{inline(token.tokens, context)}</p>;
    case "text":
      return token.tokens ? inline(token.tokens, context) : inOrder(decodeEntities(token.text), "words");
    case "as_written":
      return <p className="markdown-as-written">{inOrder(token.raw, "words")}</p>;
    default:
      return <p>{inOrder(token.raw, "words")}</p>;
  }
}

const languageOf = (token: Tokens.Generic) => String(token.lang ?? "").split(/\s/)[0] ?? "";

/** At both ends: it isn't still arriving. */
function isFenced(raw: string): boolean {
  const text = raw.trim();
  const fence = /^(?:`{3,}|~{3,})/.exec(text)?.[0];
  const end = text.lastIndexOf("\n");
  return fence !== undefined && end >= 0 && text.slice(end).trim().startsWith(fence);
}

const formula = ({ tex, raw, display }: MathToken) => (
  <Formula tex={tex} source={raw.trim()} display={display} />
);

function blocks(tokens: Token[] | undefined, context: Context): ReactNode {
  return tokens?.map((token, index) => (
    <Parsed key={`${index}`} token={token as Tokens.Generic} context={context} />
  ));
}

const Parsed = memo(
  ({ token, context }: { token: Tokens.Generic; context: Context }) => block(token, context),
  (a, b) => a.token.raw === b.token.raw && a.context === b.context,
);

/** The transcript's own headings are h2, so the model's begin below. */
function Heading({ depth, children }: { depth: number; children: ReactNode }) {
  if (depth <= 1) return <h3 className="markdown-h1">{children}</h3>;
  return depth === 2 ? <h4>{children}</h4> : <h5>{children}</h5>;
}

function list(token: Tokens.List, context: Context): ReactNode {
  const items = token.items.map((item, index) => (
    <li key={`${index}`} className={item.task ? "task" : undefined}>
      {itemParts(item, context)}
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function itemParts(item: Tokens.ListItem, context: Context): ReactNode {
  const parts = item.tokens.filter((one) => one.type !== "checkbox");
  return (
    <>
      {item.task && <span>{item.checked ? "☑ " : "☐ "}</span>}
      {blocks(parts, context)}
    </>
  );
}

/** One within a quote or an item. */
function table(token: Tokens.Table, context: Context): ReactNode {
  const cells = (row: Tokens.TableCell[], Cell: "th" | "td") =>
    row.map((cell, index) => (
      <Cell
        key={`${index}`}
        scope={Cell === "th" ? "col" : undefined}
        style={{ textAlign: cell.align ?? undefined }}
      >
        {inline(cell.tokens, context)}
      </Cell>
    ));
  return (
    <div className="markdown-table" tabIndex={0} role="group" aria-label={t`Table`}>
      <table>
        <thead>
          <tr>{cells(token.header, "th")}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={`${at}`}>{cells(row, "td")}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: Token[] | undefined, context: Context): ReactNode {
  return tokens?.map((token, index) => (
    <Inline key={`${index}`} token={token as Tokens.Generic} context={context} />
  ));
}

function Inline({ token, context }: { token: Tokens.Generic; context: Context }): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens, context)}</strong>;
    case "em":
      return <em>{inline(token.tokens, context)}</em>;
    case "del":
      return <del>{inline(token.tokens, context)}</del>;
    case "math":
      return formula(token as MathToken);
    case "codespan":
      return <code>{inOrder(token.text)}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token.href, inline(token.tokens, context), context);
    case "image":
      return link(token.href, imageWords(decodeEntities(token.text)), context);
    case "escape":
      return token.text;
    case "text":
      return token.tokens ? inline(token.tokens, context) : inOrder(decodeEntities(token.text), "words");
    default:
      return inOrder(token.raw, "words");
  }
}

/** Images are never fetched: their words stand for them. */
function imageWords(alt: string): string {
  return alt ? t`[image: ${alt}]` : t`[image]`;
}

function link(href: string, children: ReactNode, context: Context): ReactNode {
  const url = safeLink(href);
  if (url === null) return <span title={t`Not opened: ${href}`}>{children}</span>;
  return (
    <a
      href={url}
      title={url}
      rel="noreferrer"
      aria-haspopup="dialog"
      onClick={(event) => {
        event.preventDefault();
        context.onLink(url, event.currentTarget.textContent);
      }}
      onAuxClick={(event) => event.preventDefault()}
    >
      {children}
    </a>
  );
}
