/**
 * Markdown cut into blocks while it arrives. Each line is looked at once; a block that is over never changes again,
 * so that it is parsed and drawn once. What a block is inside is marked's work, when it is drawn: here are only the
 * places where two blocks can be told apart without what comes later.
 *
 * The lines of a formula are kept until it ends. If it never does, they are ordinary text.
 *
 * Nothing here is unbounded: what one block holds beyond what anybody reads is kept in pieces of its own, which are
 * parsed when they are asked for.
 */
import { cutOf } from "./cut";
import { formulaBegunBy, maxFormulaChars } from "./math";

/** A heading, paragraph, quote or anything else that is no code, table or list. `pieces` is mostly one. */
export type Flow = { kind: "flow"; prose: boolean; pieces: readonly string[]; open: boolean };
/** Lines without those that fence them. */
export type CodeText = {
  kind: "code";
  language: string;
  text: LineText;
  lines: number;
  /** The beginning of a line that is still arriving. */
  tail: string;
  open: boolean;
};
export type TableText = { kind: "table"; head: string; rows: LineText; lines: number; open: boolean };
/** Items of one list; a long list is several of these. */
export type Items = { kind: "list"; items: readonly (readonly string[])[]; goesOn: boolean; open: boolean };
/** A formula over several lines, with what fences it. */
export type FormulaText = { kind: "formula"; source: string; open: boolean };
export type Block = Flow | CodeText | TableText | Items | FormulaText;

/** Consecutive blocks. One that is over is the same object ever after. */
export type Group = { blocks: readonly Block[]; open: boolean };

/** A longer line is shown in part. */
const shownLineChars = 4_000;

/** Lines in chunks; only the last chunk changes, and it is another string then. */
export class LineText {
  /** As they are shown. */
  readonly chunks: string[] = [];
  /** Of the longest line. */
  width = 0;
  /** As they came. */
  private readonly source: string[] = [];
  private inLast = 0;
  private lineChars = 0;

  constructor(readonly linesAChunk: number) {}

  addLine(line: string): void {
    if (this.source.length > 0) this.source.push("\n");
    if (this.inLast === 0 || this.inLast === this.linesAChunk) {
      this.chunks.push("");
      this.inLast = 1;
    } else {
      this.chunks[this.chunks.length - 1] += "\n";
      this.inLast += 1;
    }
    this.lineChars = 0;
    this.addToLine(line);
  }

  /** More of the line that was added last. */
  addToLine(text: string): void {
    if (this.chunks.length === 0) this.chunks.push("");
    this.source.push(text);
    this.size += text.length + 1;
    const room = shownLineChars - this.lineChars;
    this.lineChars += text.length;
    if (room <= 0 || text === "") return;
    const shown = text.length > room ? `${text.slice(0, room)} …` : text;
    this.chunks[this.chunks.length - 1] += shown;
    this.width = Math.max(this.width, Math.min(this.lineChars, shownLineChars + 2));
  }

  /** Characters, as they came. */
  size = 0;

  whole(): string {
    return this.source.join("");
  }
}

export const codeChunkLines = 64;
export const tableChunkLines = 20;
const itemsABlock = 40;
const blocksAGroup = 24;
/** Prose is cut between words; what has structure, such as a quote or an item, between lines, and later. */
const prosePieceChars = 4_000;
const otherPieceChars = 24_000;
/** What kind of line it is shows in its first characters; a longer one goes on without being kept back. */
const lineHeadChars = 400;

const fence = /^( {0,3})(`{3,}|~{3,})([^\n]*)$/;
const heading = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const rule = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
/** What is longer may go on as something else. */
const isRule = (line: string) => line.length <= lineHeadChars && rule.test(line);
const quote = /^ {0,3}>/;
const item = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)\S|[ \t]*$)/;
const interruptingItem = /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/;
const delimiters = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const definition = /^ {0,3}\[[^\]]+\]:/;
const indented = /^(?: {4}|\t)/;

type Begun = NonNullable<ReturnType<typeof formulaBegunBy>>;
type OpenCode = { block: CodeText; marker: string; size: number; indent: number };
type OpenFormula = { lines: string[]; size: number; closer: string; alone: boolean };
type OpenList = { items: string[][]; bullet: string; indent: number; before: number };

export class Blocks {
  readonly groups: Group[] = [];
  /** Where links by name lead, as it was written. */
  readonly definitions: string[] = [];
  private blocks: Block[] = [];
  /** The beginning of a line that is not known yet. */
  private head = "";
  /** The line's beginning has been dealt with; the rest of it goes to the open block. */
  private inLine = false;
  private code: OpenCode | null = null;
  private table: TableText | null = null;
  private list: OpenList | null = null;
  private formula: OpenFormula | null = null;
  private flow: { prose: boolean; pieces: string[]; lines: number; last: string } | null = null;
  private blank = 0;
  /** How many groups are over. */
  private settled = 0;

  append(text: string): void {
    let from = 0;
    while (from < text.length) {
      const end = text.indexOf("\n", from);
      const stop = end < 0 ? text.length : end;
      if (this.inLine) {
        this.addRest(text.slice(from, stop));
      } else {
        // What kind of line it is, is never looked for in more than its first characters, however it comes.
        const at = Math.min(stop, from + lineHeadChars + 1 - this.head.length);
        this.head += text.slice(from, at);
        if (this.head.length > lineHeadChars) {
          this.addLine(this.head);
          this.head = "";
          this.inLine = true;
          this.addRest(text.slice(at, stop));
        }
      }
      if (end < 0) break;
      this.endLine();
      from = end + 1;
    }
    this.publish();
  }

  /** Nothing more will come. */
  finish(): void {
    if (this.head !== "" || this.inLine) this.endLine();
    if (this.formula) this.giveUp(this.formula);
    this.close();
    this.publish();
    const last = this.groups.at(-1);
    if (last) this.groups[this.groups.length - 1] = { ...last, open: false };
  }

  private endLine(): void {
    if (!this.inLine) this.addLine(this.head.endsWith("\r") ? this.head.slice(0, -1) : this.head);
    this.head = "";
    this.inLine = false;
  }

  private addRest(text: string): void {
    if (this.code) this.code.block.text.addToLine(text);
    else if (this.table) this.table.rows.addToLine(text);
    else if (this.list) grow(this.list.items.at(-1) ?? [], text, false);
    else if (this.flow) grow(this.flow.pieces, text, this.flow.prose);
    // Its beginning ended the block before it.
    else if (text.trim() !== "") this.addFlow(text);
  }

  private addLine(line: string): void {
    if (this.code) this.addCode(this.code, line);
    else if (this.formula) this.addFormula(this.formula, line);
    else this.addText(line, formulaBegunBy(line));
  }

  private addText(line: string, formula: Begun | null): void {
    if (line.trim() === "") this.addBlank();
    else if (this.list && this.continuesList(this.list, line)) this.blank = 0;
    else if (!this.table || !this.continuesTable(this.table, line)) {
      this.begin(line, formula);
      this.blank = 0;
    }
  }

  private addFormula(formula: OpenFormula, line: string): void {
    formula.lines.push(line);
    formula.size += line.length + 1;
    const close = line.indexOf(formula.closer);
    if (close >= 0 && line.length <= lineHeadChars && line.slice(close + 2).trim() === "") {
      this.close();
      this.formula = null;
      this.put({ kind: "formula", source: formula.lines.join("\n"), open: false });
      return;
    }
    const isLong = line.length > lineHeadChars || formula.size > maxFormulaChars;
    const isOther = close >= 0 || fence.test(line) || (line.trim() === "" && !formula.alone);
    if (isLong || isOther) this.giveUp(formula);
  }

  /** None of its lines begins another formula: each is looked at twice at most. */
  private giveUp(formula: OpenFormula): void {
    this.formula = null;
    for (const line of formula.lines) {
      if (this.code) this.addCode(this.code, line);
      else this.addText(line, null);
    }
  }

  private addBlank(): void {
    this.blank += 1;
    if (this.list) return;
    // Indented code goes on after a blank line where the next one is indented too.
    if (this.flow && !this.table && indented.test(this.flow.pieces[0] ?? "")) return;
    this.close();
  }

  private addCode(code: OpenCode, line: string): void {
    const end = new RegExp(`^ {0,3}\\${code.marker}{${code.size},}[ \\t]*$`);
    if (end.test(line)) {
      this.close();
      return;
    }
    const indent = Math.min(code.indent, line.length - line.trimStart().length);
    code.block.text.addLine(line.slice(indent));
    code.block.lines += 1;
  }

  private continuesTable(table: TableText, line: string): boolean {
    const ends =
      heading.test(line) ||
      quote.test(line) ||
      isRule(line) ||
      fence.test(line) ||
      indented.test(line) ||
      interruptingItem.test(line);
    if (ends) return false;
    table.rows.addLine(line);
    table.lines += 1;
    return true;
  }

  private continuesList(list: OpenList, line: string): boolean {
    const blank = this.blank;
    const found = isRule(line) ? null : item.exec(line);
    const isNext = found !== null && (found[1]?.length ?? 0) < list.indent;
    if (isNext && found[2]?.at(-1) === list.bullet) {
      this.addItem(list, line, found);
    } else if (
      !isNext &&
      (blank === 0 ? !this.interrupts(line) : indentOf(line) >= Math.min(2, list.indent))
    ) {
      const current = list.items.at(-1) ?? [];
      grow(current, "\n".repeat(blank + 1) + line, false);
    } else if (indentOf(line) >= list.indent) {
      grow(list.items.at(-1) ?? [], "\n".repeat(blank + 1) + line, false);
    } else {
      return false;
    }
    this.blank = 0;
    return true;
  }

  private interrupts(line: string): boolean {
    return indentOf(line) < 2 && (heading.test(line) || quote.test(line) || fence.test(line) || isRule(line));
  }

  private addItem(list: OpenList, line: string, found: RegExpExecArray): void {
    if (list.items.length >= itemsABlock) {
      this.put({ kind: "list", items: list.items, goesOn: list.before > 0, open: false });
      list.before += list.items.length;
      list.items = [];
    }
    list.items.push(grown(line));
    list.indent = contentIndent(found);
  }

  private begin(line: string, formula: Begun | null): void {
    if (formula && line.length <= lineHeadChars) {
      // A paragraph goes on where it turns out to be none.
      if (this.list || this.table || this.blank > 0) this.close();
      this.formula = { ...formula, lines: [line], size: line.length };
      return;
    }
    const opened = fence.exec(line);
    if (opened && !(opened[2]?.startsWith("`") && opened[3]?.includes("`"))) {
      this.close();
      this.code = openCode(opened);
      return;
    }
    if (this.makesTable(line)) return;
    const found = isRule(line) ? null : item.exec(line);
    const indentedFlow = this.flow !== null && indented.test(this.flow.pieces[0] ?? "");
    if (found && (this.flow === null || interruptingItem.test(line) || this.blank > 0)) {
      this.close();
      const bullet = found[2]?.at(-1) ?? "";
      this.list = { items: [grown(line)], bullet, indent: contentIndent(found), before: 0 };
      return;
    }
    const separate = this.blank > 0 && !(indentedFlow && indented.test(line));
    const quoted = this.flow !== null && quote.test(line) && !quote.test(this.flow.pieces[0] ?? "");
    if (this.list || this.table || separate || quoted || heading.test(line)) this.close();
    this.addFlow(line);
    if (heading.test(line) && line.length <= lineHeadChars) this.close();
  }

  private addFlow(line: string): void {
    if (this.flow === null) {
      const prose = !quote.test(line) && !indented.test(line) && !/^ {0,3}[<[|]/.test(line);
      this.flow = { prose, pieces: [""], lines: 0, last: "" };
    }
    const flow = this.flow;
    grow(flow.pieces, (flow.lines > 0 ? "\n".repeat(this.blank + 1) : "") + line, flow.prose);
    flow.lines += 1;
    flow.last = line;
  }

  /** The line below a table's head makes a table of it. */
  private makesTable(line: string): boolean {
    const flow = this.flow;
    if (flow === null || this.blank > 0 || !delimiters.test(line)) return false;
    const head = flow.last;
    if (!head.includes("|") || columns(head) !== columns(line) || indented.test(head) || quote.test(head)) {
      return false;
    }
    const before = flow.pieces.join("").slice(0, -head.length).trimEnd();
    this.flow = null;
    if (before !== "") this.put({ kind: "flow", prose: true, pieces: [before], open: false });
    const rows = new LineText(tableChunkLines);
    this.table = { kind: "table", head: `${head.trim()}\n${line.trim()}`, rows, lines: 0, open: true };
    return true;
  }

  /** Ends the block in progress. */
  private close(): void {
    const open = this.openBlock(false);
    if (open) this.put(open);
    this.code = null;
    this.table = null;
    this.list = null;
    this.flow = null;
    this.blank = 0;
  }

  /** The block in progress as it stands, as an object of its own. */
  private openBlock(open: boolean): Exclude<Block, FormulaText> | null {
    if (this.code) return { ...this.code.block, open };
    if (this.table) return { ...this.table, open };
    if (this.list) {
      return { kind: "list", items: this.list.items.slice(), goesOn: this.list.before > 0, open };
    }
    if (this.flow) return { kind: "flow", prose: this.flow.prose, pieces: this.flow.pieces.slice(), open };
    return null;
  }

  private put(block: Block): void {
    if (block.kind === "flow" && definition.test(block.pieces[0] ?? "")) {
      this.definitions.push(block.pieces[0] ?? "");
    }
    this.blocks.push(block);
    if (this.blocks.length < blocksAGroup) return;
    this.groups[this.settled] = { blocks: this.blocks, open: false };
    this.settled += 1;
    this.blocks = [];
  }

  /** The last group as it stands: the blocks that are over, the one in progress, and the line that is not known yet. */
  private publish(): void {
    const blocks = [...this.blocks, ...this.underWay()];
    this.groups.length = this.settled;
    if (blocks.length > 0) this.groups.push({ blocks, open: true });
  }

  private underWay(): Block[] {
    const open = this.openBlock(true);
    const { head } = this;
    if (this.formula) {
      const formula: Block = {
        kind: "formula",
        source: [...this.formula.lines, head].join("\n"),
        open: true,
      };
      return open ? [open, formula] : [formula];
    }
    if (head.trim() === "") return open ? [open] : [];
    const apart: Block = { kind: "flow", prose: true, pieces: [head], open: true };
    if (open === null) return [apart];
    // A row is shown once it is whole; code shows at once, but for what may be the end of it.
    if (open.kind === "table") return [open];
    if (open.kind === "code") return [/^\s*[`~]+\s*$/.test(head) ? open : { ...open, tail: head }];
    const between = "\n".repeat(this.blank + 1);
    if (open.kind === "list") {
      if (this.blank > 0 && !/^(?:[ \t]|[-*+]|\d)/.test(head)) return [{ ...open, open: false }, apart];
      const last = open.items.at(-1) ?? [];
      return [{ ...open, items: [...open.items.slice(0, -1), withEnd(last, between + head)] }];
    }
    if (this.blank > 0) return [open, apart];
    return [{ ...open, pieces: withEnd(open.pieces, between + head) }];
  }
}

function openCode(opened: RegExpExecArray): OpenCode {
  const marks = opened[2] ?? "```";
  const language = opened[3]?.trim().split(/\s/)[0] ?? "";
  const text = new LineText(codeChunkLines);
  const block: CodeText = { kind: "code", language, text, lines: 0, tail: "", open: true };
  return { block, marker: marks[0] ?? "`", size: marks.length, indent: opened[1]?.length ?? 0 };
}

const indentOf = (line: string) => (/^[ \t]*/.exec(line)?.[0] ?? "").replaceAll("\t", "    ").length;

function contentIndent(found: RegExpExecArray): number {
  const marker = (found[1]?.length ?? 0) + (found[2]?.length ?? 1);
  const space = found[3]?.length ?? 1;
  return marker + (space > 4 ? 1 : space);
}

const columns = (row: string) =>
  row
    .trim()
    .replace(/\\\|/g, "")
    .replace(/^\||\|$/g, "")
    .split("|").length;

const withEnd = (pieces: readonly string[], text: string): string[] => [
  ...pieces.slice(0, -1),
  (pieces.at(-1) ?? "") + text,
];

/** Adds to the last piece, and begins others where it would be too long. */
function grow(pieces: string[], text: string, prose: boolean): void {
  const most = prose ? prosePieceChars : otherPieceChars;
  if (pieces.length === 0) pieces.push("");
  let at = 0;
  for (;;) {
    const last = pieces.at(-1) ?? "";
    const room = Math.max(0, most - last.length);
    if (text.length - at <= room) {
      pieces[pieces.length - 1] = last + text.slice(at);
      return;
    }
    const full = last + text.slice(at, at + room);
    at += room;
    const cut = cutOf(full, prose);
    pieces[pieces.length - 1] = full.slice(0, cut);
    pieces.push(full.slice(cut));
  }
}

function grown(text: string): string[] {
  const pieces: string[] = [];
  grow(pieces, text, false);
  return pieces;
}
