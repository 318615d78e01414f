/**
 * Markdown from the model, drawn as React elements from marked's tokens. Model output is hostile: there is no
 * HTML on this path at all (raw HTML shows as the text it is), images are never loaded, and a link leaves the
 * window only through `onLink` and only if its scheme is allowed.
 */
import { marked, type Token, type Tokens } from "marked";
import { memo, type ReactNode, useMemo } from "react";
import { safeLink } from "../../platform/links";
import { CodeBlock } from "../code/Code";
import { decodeEntities } from "./entities";
import "./markdown.css";

type Props = { text: string; onLink: (url: string) => void; streaming?: boolean };

export function Markdown({ text, onLink, streaming = false }: Props) {
  const blocks = useMemo(() => marked.lexer(text, { gfm: true }), [text]);
  return (
    <div className="markdown" dir="auto">
      {blocks.map((token, index) => (
        // Blocks only grow at the end, so position is identity and finished blocks are never drawn again.
        <Block
          key={`${index}`}
          raw={token.raw}
          token={token}
          onLink={onLink}
          settled={!streaming || index < blocks.length - 1}
        />
      ))}
    </div>
  );
}

type BlockProps = { raw: string; token: Token; onLink: (url: string) => void; settled: boolean };

const Block = memo(
  ({ token, onLink, settled }: BlockProps) => block(token as Tokens.Generic, { onLink, settled }),
  (a, b) => a.raw === b.raw && a.settled === b.settled && a.onLink === b.onLink,
);

type Context = { onLink: (url: string) => void; settled: boolean };

function block(token: Tokens.Generic, context: Context): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return <Heading depth={token.depth}>{inline(token.tokens, context)}</Heading>;
    case "code":
      return (
        <CodeBlock
          code={token.text}
          language={String(token.lang ?? "").split(/\s/)[0] ?? ""}
          settled={context.settled}
        />
      );
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
      return token.tokens ? inline(token.tokens, context) : decodeEntities(token.text);
    default:
      return <p>{token.raw}</p>;
  }
}

function blocks(tokens: Token[] | undefined, context: Context): ReactNode {
  return tokens?.map((token, index) => (
    <Block key={`${index}`} raw={token.raw} token={token} onLink={context.onLink} settled={context.settled} />
  ));
}

/** The transcript's own headings are h2, so the model's begin below. */
function Heading({ depth, children }: { depth: number; children: ReactNode }) {
  if (depth <= 1) return <h3 className="markdown-h1">{children}</h3>;
  return depth === 2 ? <h4>{children}</h4> : <h5>{children}</h5>;
}

function list(token: Tokens.List, context: Context): ReactNode {
  const items = token.items.map((item, index) => (
    <li key={`${index}`} className={item.task ? "task" : undefined}>
      {item.task && <span>{item.checked ? "☑ " : "☐ "}</span>}
      {blocks(
        item.tokens.filter((one) => one.type !== "checkbox"),
        context,
      )}
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function table(token: Tokens.Table, context: Context): ReactNode {
  return (
    <div className="markdown-table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={`${index}`} scope="col" style={{ textAlign: cell.align ?? undefined }}>
                {inline(cell.tokens, context)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={`${at}`}>
              {row.map((cell, index) => (
                <td key={`${index}`} style={{ textAlign: cell.align ?? undefined }}>
                  {inline(cell.tokens, context)}
                </td>
              ))}
            </tr>
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
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return link(token.href, inline(token.tokens, context), context);
    case "image":
      return link(token.href, <>[image{token.text ? `: ${decodeEntities(token.text)}` : ""}]</>, context);
    case "escape":
      return token.text;
    case "text":
      return token.tokens ? inline(token.tokens, context) : decodeEntities(token.text);
    default:
      return token.raw;
  }
}

function link(href: string, children: ReactNode, context: Context): ReactNode {
  const url = safeLink(href);
  if (url === null) return <span title={`Not opened: ${href}`}>{children}</span>;
  return (
    <a
      href={url}
      title={url}
      rel="noreferrer"
      onClick={(event) => {
        event.preventDefault();
        context.onLink(url);
      }}
      onAuxClick={(event) => event.preventDefault()}
    >
      {children}
    </a>
  );
}
